import Media

/// Checks the input of one run of a pipe until its first frame, and decides what to report to the user. A pure value.
struct PipeStartupCheck {
    enum Notice: Hashable {
        /// No byte has come yet; there may be no writer.
        case isWaiting
        /// Input comes, but no frame that can be shown.
        case hasNoFrame
    }

    /// Reports missing input after this time; writers such as ffmpeg take half a second to start.
    static let waitingNanoseconds: Int64 = 1_000_000_000
    /// Reports missing frames after this time with input; keyframes usually come every one or two seconds.
    static let frameNanoseconds: Int64 = 5_000_000_000

    private let start: MonotonicTime
    private var firstByte: MonotonicTime?
    /// All bytes until the format is decided; then empty.
    private(set) var head: [UInt8] = []
    private var isDecided = false
    private var reported: Set<Notice> = []
    /// The format of the first bytes; `nil` if they may be H.264.
    private(set) var format: PipeFormat?

    init(at start: MonotonicTime) {
        self.start = start
    }

    /// Whether any input has come.
    var hasInput: Bool { firstByte != nil }

    mutating func received(_ bytes: [UInt8], at now: MonotonicTime) {
        firstByte = firstByte ?? now
        guard !isDecided else { return }
        head += bytes
        format = PipeFormat(beginning: Array(head.prefix(PipeFormat.sufficientByteCount)))
        guard format == nil, head.count >= PipeFormat.sufficientByteCount else { return }
        (isDecided, head) = (true, [])
    }

    /// The notice to report now; each one is returned once.
    mutating func notice(at now: MonotonicTime) -> Notice? {
        let isLate = firstByte.map { now - $0 >= Self.frameNanoseconds } ?? (now - start >= Self.waitingNanoseconds)
        let notice: Notice = hasInput ? .hasNoFrame : .isWaiting
        return isLate && reported.insert(notice).inserted ? notice : nil
    }
}
