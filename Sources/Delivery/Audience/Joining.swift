import Media
import RTP
import Streams

/// How viewers join in the middle of a GOP.
public enum JoinMode: String, Hashable, Sendable, CaseIterable {
    /// With a fast start if it fits its limits, otherwise at a keyframe.
    case auto
    /// The same as `auto`, to state it explicitly in the configuration.
    case fastStart
    /// At the next keyframe, which is requested from the encoder if there is one.
    case keyframe
}

/// How one viewer joins after PLAY.
public struct JoinOptions: Hashable, Sendable {
    public var mode: JoinMode
    /// The duration of the compressed history, in nanoseconds.
    public var fastStartWindow: Int64
    public var fastStart: FastStart.Limits

    public init(
        mode: JoinMode = .auto, fastStartWindow: Int64 = 120_000_000, fastStart: FastStart.Limits = FastStart.Limits()
    ) {
        self.mode = mode
        self.fastStartWindow = fastStartWindow
        self.fastStart = fastStart
    }
}

extension Audience {
    /// Sets the viewer's start: the beginning of a fast start, or the next keyframe.
    func join(_ viewer: Viewer, options: JoinOptions, at now: MonotonicTime) {
        // A viewer without fast start needs no history, which is thousands of references.
        let isLive = options.mode == .keyframe || viewer.isMulticast
        let fastStart = isLive ? nil : fastStart(for: viewer, options: options)
        viewer.endFastStart()
        viewer.position = Viewer.Position(index: fastStart?.nextIndex ?? feed.endIndex)
        viewer.isDraining = false
        viewer.suspendedUntil = now
        viewer.compression = nil
        viewer.behindSince = nil
        viewer.lastProgress = now
        guard let fastStart, !fastStart.runs.isEmpty else {
            viewer.isAwaitingKeyframe = true
            return requestKeyframe(at: now)
        }
        viewer.fastStart = fastStart.runs
        viewer.fastStartCharge = fastStart.charge
        viewer.compression = fastStart.compression
        viewer.compressedTrack = fastStart.compressedTrack
        viewer.isAwaitingKeyframe = false
        if viewer.output == nil { viewer.pacer = Pacer(limits: Pacer.Limits()) }
    }

    /// The packaged fast start up to the newest unit, made once for all viewers that join before the next unit.
    private func fastStart(for viewer: Viewer, options: JoinOptions) -> PackagedFastStart {
        let watched = feed.tracks.map { viewer.watches($0.id) }
        if let shared = sharedFastStart, shared.serves(watched, options, at: feed.endIndex) { return shared }
        let point = feed.joinPoint(in: stream)
        let fastStart = FastStart(
            history: point.history.filter { viewer.watches($0.track) }, leading: leadingTrack(for: viewer),
            window: options.fastStartWindow, limits: options.fastStart)
        // If there is no memory for it, the viewer starts at the next keyframe.
        let charge = fastStart.flatMap { fastStartBudget.charge($0.units.reduce(0) { $0 + $1.bytes.count }) }
        let runs = charge == nil ? [] : fastStart.map { point.package($0.units) } ?? []
        let packaged = PackagedFastStart(
            runs: runs, charge: charge, compression: fastStart?.compression, compressedTrack: fastStart?.track,
            nextIndex: point.nextIndex, watched: watched, options: options)
        sharedFastStart = packaged
        return packaged
    }

    /// Releases the shared fast start if the feed has advanced, because no viewer joins there any more.
    func removeOldFastStart() {
        guard let shared = sharedFastStart, shared.nextIndex != reader.endIndex else { return }
        sharedFastStart = nil
    }

    /// The first packet of each of the viewer's tracks, for RTP-Info (RFC 2326, section 12.33).
    ///
    /// - Returns: an entry without `timestamp` for each track without a first unit.
    func firstPackets(of viewer: Viewer) -> [FirstPacket] {
        let leading = leadingTrack(for: viewer).id
        return viewer.tracks.indices.compactMap { index in
            guard let track = viewer.tracks[index], viewer.isFirst(track, at: index) else { return nil }
            let run = firstRun(
                of: viewer.encapsulation == .tracks ? TrackID(index) : nil, for: viewer, leading: leading)
            return FirstPacket(
                track: TrackID(index), sequenceNumber: track.rewriter.nextSequenceNumber,
                timestamp: run.map { viewer.ticks(of: $0) &+ track.rewriter.timestampOffset })
        }
    }

    /// The viewer's first run of `track`; of any track if that is `nil`.
    private func firstRun(of track: TrackID?, for viewer: Viewer, leading: TrackID) -> PacketRun? {
        if let run = viewer.fastStart.first(where: { track == nil || $0.track == track }) { return run }
        var index = max(viewer.position.index, reader.startIndex)
        while let run = run(at: index) {
            if track == nil || run.track == track, viewer.passes(run, leading: leading) { return run }
            index += 1
        }
        return nil
    }
}

/// A fast start as packets, shared by all viewers that join at one point with the same tracks. If many viewers join, packaging
/// one for each would take longer than sending it.
struct PackagedFastStart {
    /// The packets; empty if there is nothing to start with.
    let runs: [PacketRun]
    /// The memory of the runs, held for as long as the runs are.
    let charge: FastStartBudget.Charge?
    let compression: TimeCompression?
    let compressedTrack: TrackID?
    /// The index in the feed of the first unit after the fast start.
    let nextIndex: Int64
    /// Which of the stream's tracks it contains.
    fileprivate let watched: [Bool]
    fileprivate let options: JoinOptions

    /// Whether it fits a viewer that joins at `index` with these tracks and options.
    fileprivate func serves(_ watched: [Bool], _ options: JoinOptions, at index: Int64) -> Bool {
        nextIndex == index && self.watched == watched && self.options == options
    }
}

/// The RTP-Info entry of one track.
public struct FirstPacket: Hashable, Sendable {
    public let track: TrackID
    public let sequenceNumber: SequenceNumber
    /// `nil` if the first unit does not exist yet.
    public var timestamp: UInt32?
}
