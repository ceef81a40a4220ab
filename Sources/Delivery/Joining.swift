import Media
import RTP
import Streams

/// How viewers join in the middle of a group of pictures.
public enum JoinMode: String, Hashable, Sendable, CaseIterable {
    /// The prelude where it fits its limits, else a random access point.
    case auto
    /// The same, for those who want to see it in the configuration.
    case fastStart = "prelude"
    /// The next random access point, which is asked of the encoder where there is one.
    case keyframe
}

/// What a PLAY needs to know of how this viewer joins.
public struct JoinOptions: Hashable, Sendable {
    public var mode: JoinMode
    /// How long the squeezed history lasts, in nanoseconds.
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
    /// Puts the viewer where it starts: at the beginning of a prelude, or before the next random access point.
    func join(_ viewer: Viewer, options: JoinOptions, at now: MonotonicTime) {
        // Who gets no prelude needs no history, which is thousands of references.
        let isLive = options.mode == .keyframe || viewer.isMulticast
        let fastStart = isLive ? nil : fastStart(for: viewer, options: options)
        viewer.endFastStart()
        viewer.position = Viewer.Position(index: fastStart?.nextIndex ?? feed.endIndex)
        viewer.isDraining = false
        viewer.restsUntil = now
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
        if viewer.output == nil { viewer.pacer = Pacer(limits: Pacer.Limits(), at: now) }
    }

    /// The prelude that leads to the newest unit, packaged: made once for all who join before the next.
    private func fastStart(for viewer: Viewer, options: JoinOptions) -> PackagedFastStart {
        let watched = feed.tracks.map { viewer.watches($0.id) }
        if let shared = sharedFastStart, shared.serves(watched, options, at: feed.endIndex) { return shared }
        let point = feed.joinPoint(in: stream)
        let fastStart = FastStart(
            history: point.history.filter { viewer.watches($0.track) }, leading: leadingTrack(for: viewer),
            window: options.fastStartWindow, limits: options.fastStart)
        // Without memory for it, the viewer starts at the next random access point.
        let charge = fastStart.flatMap { fastStarts.charge($0.units.reduce(0) { $0 + $1.bytes.count }) }
        let runs = charge == nil ? [] : fastStart.map { point.package($0.units) } ?? []
        let packaged = PackagedFastStart(
            runs: runs, charge: charge, compression: fastStart?.compression, compressedTrack: fastStart?.track,
            nextIndex: point.nextIndex, watched: watched, options: options)
        sharedFastStart = packaged
        return packaged
    }

    /// Lets go of the shared prelude if the feed has gone on: nobody joins there any more.
    func discardOldFastStart() {
        guard let shared = sharedFastStart, shared.nextIndex != reader.endIndex else { return }
        sharedFastStart = nil
    }

    /// The first packet of each of the viewer's tracks, for RTP-Info (RFC 2326, section 12.33).
    ///
    /// - Returns: `rtptime` is missing where the track's first unit does not exist yet.
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

    /// The viewer's first run of `track`; of any where that is `nil`.
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

/// A prelude as packets, for everyone who joins at one place with the same tracks: in a crowd, packaging one for each would take
/// longer than sending it.
struct PackagedFastStart {
    /// Empty where there is nothing to start with.
    let runs: [PacketRun]
    /// The memory of the runs, for as long as anyone holds them.
    let charge: FastStartBudget.Charge?
    let compression: TimeCompression?
    let compressedTrack: TrackID?
    /// Index in the feed of the first unit after it.
    let nextIndex: Int64
    /// Which of the stream's tracks are in it.
    fileprivate let watched: [Bool]
    fileprivate let options: JoinOptions

    /// Whether it is what a viewer of these tracks gets who joins at `index`.
    fileprivate func serves(_ watched: [Bool], _ options: JoinOptions, at index: Int64) -> Bool {
        nextIndex == index && self.watched == watched && self.options == options
    }
}

/// What RTP-Info says of one track.
public struct FirstPacket: Hashable, Sendable {
    public let track: TrackID
    public let sequenceNumber: SequenceNumber
    /// `nil` where the first unit does not exist yet.
    public var timestamp: UInt32?
}
