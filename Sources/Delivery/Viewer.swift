import Media
import RTP
import Streams

/// Someone who watches one stream: a cursor into a feed's ring and the numbers that are this viewer's own. There is no queue.
///
/// Sequence numbers stay contiguous whatever is skipped (a gap would look like loss); timestamps jump. Born and dying in one loop.
public final class Viewer {
    /// Where the viewer is: always between two packets.
    struct Position: Equatable {
        /// Of the next run in the prelude, while there is one.
        var fastStart = 0
        /// Of the next run in the feed, after the prelude.
        var index: Int64 = 0
        /// Of the next packet in the run.
        var packet = 0
    }

    /// How far the viewer has come.
    enum Phase: Equatable {
        /// Set up, or paused: nothing is sent.
        case idle
        /// PLAY is being answered: what comes first is looked for.
        case joining
        case playing
    }

    /// Unique in its loop.
    public let id: UInt64
    /// What the client's logs and ours call it: canonical name of its reports (RFC 3550, section 6.5.1).
    let canonicalName: String
    /// The tracks it set up, by their index in the stream.
    public internal(set) var tracks: [ViewerTrack?]
    /// The connection that carries its interleaved packets; `nil` on UDP.
    public let output: TCPOutput?

    /// Whether it gets one RTP stream per track, or all tracks in one.
    public let encapsulation: RTPEncapsulation
    /// Whether it stands for a multicast group: a prelude would disturb those who watch already.
    public let isMulticast: Bool

    /// Whom it watches with, from joining until it pauses or ends.
    var audience: Audience?
    /// Whether its audience counts it among those behind.
    var isListedBehind = false
    var phase = Phase.idle
    /// What it gets before the feed: from a random access point to where it joined.
    var fastStart: [PacketRun] = []
    /// The memory of the prelude.
    var fastStartCharge: FastStartBudget.Charge?
    var position = Position()
    /// Whether pictures are passed over until one that can be decoded alone.
    var isAwaitingKeyframe = false
    /// Whether it was too late and nothing is sent before its connection has drained: what is sent now would be seen late.
    var isDraining = false
    /// For late B-pictures after the prelude.
    var compression: TimeCompression?
    var compressedTrack: TrackID?
    /// Spreads the prelude on UDP; `nil` once the viewer has caught up.
    var pacer: Pacer?
    /// The sender that its latest UDP message was added to.
    var lastSender: UDPSender?
    /// When it started to play.
    var startedAt: MonotonicTime
    /// When a random access point was last asked for because it had fallen behind.
    var lastAsked = MonotonicTime(nanoseconds: .min / 2)
    /// When it last took a packet.
    var lastProgress: MonotonicTime
    /// Since when units wait for it; `nil` while it keeps up.
    var behindSince: MonotonicTime?
    /// Before then, nothing can have changed for a viewer whose connection takes nothing, unless the socket is writable.
    var restsUntil = MonotonicTime(nanoseconds: .min / 2)
    /// RTP time of what it was sent last, before its offset.
    var lastTicks: UInt32?
    /// When its next sender reports are due.
    var nextReport = MonotonicTime.distantFuture

    /// Units not sent because it did not keep up.
    public internal(set) var droppedUnits: UInt64 = 0

    public init(
        id: UInt64, canonicalName: String, trackCount: Int, encapsulation: RTPEncapsulation = .tracks,
        output: TCPOutput?,
        isMulticast: Bool = false, at now: MonotonicTime
    ) {
        self.id = id
        self.canonicalName = canonicalName
        self.output = output
        self.isMulticast = isMulticast
        self.encapsulation = encapsulation
        tracks = Array(repeating: nil, count: trackCount)
        startedAt = now
        lastProgress = now
    }

    /// Adds what a SETUP negotiated; a track set up again takes the new place.
    public func setUp(_ track: TrackID, as viewerTrack: ViewerTrack) {
        tracks[track.index] = viewerTrack
    }

    /// Has all tracks of the stream travel as this one.
    public func setUpAll(as viewerTrack: ViewerTrack) {
        tracks = Array(repeating: viewerTrack, count: tracks.count)
    }

    /// Whether no track before `index` travels as this one.
    func isFirst(_ track: ViewerTrack, at index: Int) -> Bool {
        tracks.firstIndex { $0 === track } == index
    }

    /// Whether runs of this track are for this viewer.
    func watches(_ track: TrackID) -> Bool {
        track.index < tracks.count && tracks[track.index] != nil
    }

    /// Whether `run` may be sent now.
    func passes(_ run: PacketRun, leading: TrackID) -> Bool {
        guard watches(run.track) else { return false }
        guard isAwaitingKeyframe, run.track == leading else { return true }
        return run.isKeyframe && run.part.isStart
    }

    /// The run's RTP timestamp, before this viewer's offset.
    func ticks(of run: PacketRun) -> UInt32 {
        // The prelude's own times are squeezed already.
        guard let compression, run.track == compressedTrack, !isInFastStart else {
            return run.presentationTime.rtpTicks
        }
        return UInt32(truncatingIfNeeded: compression(run.presentationTime.ticks))
    }

    /// Whether its connection takes nothing, and was looked at a short time ago.
    func isResting(at now: MonotonicTime) -> Bool {
        restsUntil > now && output != nil && (isDraining || output?.isBlocked == true)
    }

    /// Whether the next run is one of the prelude.
    var isInFastStart: Bool { position.fastStart < fastStart.count }

    /// Lets go of the prelude. Not while messages of it are in a batch.
    func endFastStart() {
        fastStart = []
        fastStartCharge = nil
        position.fastStart = 0
    }

    /// The run at the position is done with.
    func advance() {
        if isInFastStart {
            position.fastStart += 1
        } else {
            position.index += 1
        }
        position.packet = 0
    }

    /// The kernel did not take a message: the viewer is where it was before, its numbers too.
    func goBack(to position: Position, isAwaitingKeyframe: Bool, track: TrackID, packets: Int, octets: Int) {
        self.position = position
        self.isAwaitingKeyframe = isAwaitingKeyframe
        tracks[track.index]?.takeBack(packets: packets, octets: octets)
        audience?.becameLate(self)
    }
}
