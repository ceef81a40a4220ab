import Media
import RTP
import Streams

/// How viewers join in the middle of a group of pictures.
public enum JoinMode: String, Hashable, Sendable, CaseIterable {
    /// The prelude where it fits its limits, else a random access point.
    case auto
    /// The same, for those who want to see it in the configuration.
    case prelude
    /// The next random access point, which is asked of the encoder where there is one.
    case keyframe
}

/// What a PLAY needs to know of how this viewer joins.
public struct JoinOptions: Hashable, Sendable {
    public var mode: JoinMode
    /// How long the squeezed history lasts, in nanoseconds.
    public var preludeWindow: Int64
    public var prelude: Prelude.Limits

    public init(
        mode: JoinMode = .auto, preludeWindow: Int64 = 120_000_000, prelude: Prelude.Limits = Prelude.Limits()
    ) {
        self.mode = mode
        self.preludeWindow = preludeWindow
        self.prelude = prelude
    }
}

extension Audience {
    /// Puts the viewer where it starts: at the beginning of a prelude, or before the next random access point.
    func join(_ viewer: Viewer, options: JoinOptions, at now: MonotonicTime) {
        // Who gets no prelude needs no history, which is thousands of references.
        let isLive = options.mode == .keyframe || viewer.isMulticast
        let prelude = isLive ? nil : prelude(for: viewer, options: options)
        viewer.endPrelude()
        viewer.position = Viewer.Position(index: prelude?.nextIndex ?? feed.endIndex)
        viewer.isDraining = false
        viewer.restsUntil = now
        viewer.squeeze = nil
        viewer.behindSince = nil
        viewer.lastProgress = now
        guard let prelude, !prelude.runs.isEmpty else {
            viewer.isAwaitingRandomAccess = true
            return requestRandomAccess(at: now)
        }
        viewer.prelude = prelude.runs
        viewer.preludeCharge = prelude.charge
        viewer.squeeze = prelude.squeeze
        viewer.squeezedTrack = prelude.squeezedTrack
        viewer.isAwaitingRandomAccess = false
        if viewer.output == nil { viewer.pacer = Pacer(limits: Pacer.Limits(), at: now) }
    }

    /// The prelude that leads to the newest unit, packaged: made once for all who join before the next.
    private func prelude(for viewer: Viewer, options: JoinOptions) -> PackagedPrelude {
        let watched = feed.tracks.map { viewer.watches($0.id) }
        if let shared = sharedPrelude, shared.serves(watched, options, at: feed.endIndex) { return shared }
        let point = feed.joinPoint(in: stream)
        let prelude = Prelude(
            history: point.history.filter { viewer.watches($0.track) }, leading: leadingTrack(for: viewer),
            window: options.preludeWindow, limits: options.prelude)
        // Without memory for it, the viewer starts at the next random access point.
        let charge = prelude.flatMap { preludes.charge($0.units.reduce(0) { $0 + $1.bytes.count }) }
        let runs = charge == nil ? [] : prelude.map { point.package($0.units) } ?? []
        let packaged = PackagedPrelude(
            runs: runs, charge: charge, squeeze: prelude?.squeeze, squeezedTrack: prelude?.track,
            nextIndex: point.nextIndex, watched: watched, options: options)
        sharedPrelude = packaged
        return packaged
    }

    /// Lets go of the shared prelude if the feed has gone on: nobody joins there any more.
    func forgetOldPrelude() {
        guard let shared = sharedPrelude, shared.nextIndex != reader.endIndex else { return }
        sharedPrelude = nil
    }

    /// The first packet of each of the viewer's tracks, for RTP-Info (RFC 2326, section 12.33).
    ///
    /// - Returns: `rtptime` is missing where the track's first unit does not exist yet.
    func firstPackets(of viewer: Viewer) -> [FirstPacket] {
        let leading = leadingTrack(for: viewer).id
        return viewer.tracks.indices.compactMap { index in
            guard let track = viewer.tracks[index], viewer.isFirst(track, at: index) else { return nil }
            let run = firstRun(of: viewer.form == .tracks ? TrackID(index) : nil, for: viewer, leading: leading)
            return FirstPacket(
                track: TrackID(index), sequenceNumber: track.rewriter.nextSequenceNumber,
                timestamp: run.map { viewer.ticks(of: $0) &+ track.rewriter.timestampOffset })
        }
    }

    /// The viewer's first run of `track`; of any where that is `nil`.
    private func firstRun(of track: TrackID?, for viewer: Viewer, leading: TrackID) -> PacketRun? {
        if let run = viewer.prelude.first(where: { track == nil || $0.track == track }) { return run }
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
struct PackagedPrelude {
    /// Empty where there is nothing to start with.
    let runs: [PacketRun]
    /// The memory of the runs, for as long as anyone holds them.
    let charge: PreludeBudget.Charge?
    let squeeze: Squeeze?
    let squeezedTrack: TrackID?
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
