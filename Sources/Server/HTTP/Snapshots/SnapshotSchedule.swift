import Media

/// Decides which snapshots are made when: at most one decoded frame per path and 200 ms, whatever the widths, and two paths at a
/// time. A pure value.
///
/// ```
///            requested            decoded               nothing waits           200 ms after the request
///   (none) ─────────────▶ decode ─────────▶ encode ───────────────────▶ kept ───────────────────────────▶ (none)
///                           │                  ▲  requested, other width  │
///                           │ failed           └──────────────────────────┘
///                           └───────────────────────────────────────────▶ kept, without a frame
/// ```
///
/// While a path has work, further clients of it wait. What is not made now is refused, and nothing queues for a decoder.
struct SnapshotSchedule<Frame: Sendable, Image: Sendable, Client: Sendable>: Sendable {
    struct Limits: Hashable, Sendable {
        /// How long a frame is used for further clients, in milliseconds.
        var interval: Int64 = 200
        /// How many paths have work at the same time.
        var concurrency = 2
        /// How many clients wait for images.
        var waiting = 64
        /// How many frames are kept for other widths. A frame of 3840×2160 pixels takes 12 MB.
        var kept = 4
    }

    /// What becomes of a request.
    enum Verdict {
        /// The image exists.
        case image(Image)
        /// The client waits. The path has work already.
        case waits
        /// The client waits. The caller starts the work of the path, which takes its orders by ``nextOrder(of:)``.
        case begins
        case refused
    }

    /// A step of the work of a path.
    enum Order {
        case decode
        case encode(Frame, SnapshotWidth)
    }

    private struct Entry {
        /// When the frame was requested.
        let began: MonotonicTime
        var isDecoded = false
        /// `nil` before it is decoded, if that has failed, and if too many are kept.
        var frame: Frame?
        var images: [SnapshotWidth: Image] = [:]
        var waiting: [(width: SnapshotWidth, client: Client)] = []
        var hasWork = true
    }

    private let limits: Limits
    private var entries: [String: Entry] = [:]

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many frames are in memory, whether they have work or not.
    var frameCount: Int { entries.values.count { $0.frame != nil } }

    /// A client wants a snapshot of a path.
    mutating func requested(
        _ path: String, _ width: SnapshotWidth, by client: Client, at now: MonotonicTime
    ) -> Verdict {
        expire(at: now)
        if let image = entries[path]?.images[width] { return .image(image) }
        let hasWork = entries[path]?.hasWork ?? false
        guard entries.values.reduce(0, { $0 + $1.waiting.count }) < limits.waiting else { return .refused }
        if !hasWork {
            guard entries.values.count(where: \.hasWork) < limits.concurrency else { return .refused }
            // The frame could not be decoded, or is kept no longer.
            if let entry = entries[path], entry.frame == nil { return .refused }
        }
        var entry = entries[path] ?? Entry(began: now)
        entry.waiting.append((width, client))
        entry.hasWork = true
        entries[path] = entry
        return hasWork ? .waits : .begins
    }

    /// What is to be done next for a path; `nil` if its work is complete.
    mutating func nextOrder(of path: String) -> Order? {
        guard let entry = entries[path] else { return nil }
        guard entry.isDecoded else { return .decode }
        if let frame = entry.frame, let next = entry.waiting.first { return .encode(frame, next.width) }
        entries[path]?.hasWork = false
        limitFrames()
        return nil
    }

    /// The frame of a path has been decoded.
    mutating func decoded(_ frame: Frame, of path: String) {
        entries[path]?.isDecoded = true
        entries[path]?.frame = frame
    }

    /// An image has been encoded.
    ///
    /// - Returns: the clients that wait for it.
    mutating func encoded(_ image: Image, _ width: SnapshotWidth, of path: String) -> [Client] {
        guard var entry = entries[path] else { return [] }
        entry.images[width] = image
        let clients = entry.waiting.filter { $0.width == width }.map(\.client)
        entry.waiting.removeAll { $0.width == width }
        entries[path] = entry
        return clients
    }

    /// The work of a path cannot begin, or has failed.
    ///
    /// - Returns: the clients that wait.
    mutating func failed(_ path: String) -> [Client] {
        let clients = entries[path]?.waiting.map(\.client) ?? []
        entries[path]?.isDecoded = true
        entries[path]?.frame = nil
        entries[path]?.waiting = []
        return clients
    }

    /// Forgets what is too old.
    mutating func expire(at now: MonotonicTime) {
        let interval = limits.interval * 1_000_000
        entries = entries.filter { $0.value.hasWork || now - $0.value.began < interval }
    }

    private mutating func limitFrames() {
        while entries.values.count(where: { $0.frame != nil && !$0.hasWork }) > limits.kept {
            let idle = entries.filter { $0.value.frame != nil && !$0.value.hasWork }
            guard let oldest = idle.min(by: { $0.value.began < $1.value.began }) else { return }
            entries[oldest.key]?.frame = nil
        }
    }
}
