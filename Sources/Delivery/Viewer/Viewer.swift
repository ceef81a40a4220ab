import Media
import RTP
import Streams

/// One viewer of one stream: a cursor into a feed's ring, and its own sequence numbers and timestamps. It has no queue.
///
/// Sequence numbers stay contiguous even if units are skipped (a gap would look like loss); timestamps jump. Confined to its
/// loop.
public final class Viewer {
    /// The position of the viewer, always between two packets.
    struct Position: Equatable {
        /// The next run of the fast start, while there is one.
        var fastStart = 0
        /// The index of the next run in the feed, after the fast start.
        var index: Int64 = 0
        /// The next packet in the run.
        var packet = 0
    }

    /// The state of the viewer.
    enum Phase: Equatable {
        /// Set up, or paused: nothing is sent.
        case idle
        /// PLAY is being answered: the first packets are determined.
        case joining
        case playing
    }

    /// A number that is unique in its loop.
    public let id: UInt64
    /// The canonical name in its reports (RFC 3550, section 6.5.1), for the logs of both sides.
    let canonicalName: String
    /// The tracks that it has set up, by their index in the stream.
    public internal(set) var tracks: [ViewerTrack?]
    /// The connection that carries its interleaved packets; `nil` on UDP.
    public let output: TCPOutput?

    /// Whether it gets one RTP stream per track, or all tracks in one MPEG-TS stream.
    public let encapsulation: RTPEncapsulation
    /// Whether it stands for a multicast group. A fast start would disturb the clients that watch already.
    public let isMulticast: Bool

    /// The audience that it belongs to, from joining until it pauses or ends.
    var audience: Audience?
    /// Whether its audience lists it as behind.
    var isListedBehind = false
    var phase = Phase.idle
    /// The runs that it gets before it follows the feed: from a keyframe to the point where it joined.
    var fastStart: [PacketRun] = []
    /// The memory of the fast start.
    var fastStartCharge: FastStartBudget.Charge?
    var position = Position()
    /// Whether frames are skipped until a keyframe.
    var isAwaitingKeyframe = false
    /// Whether nothing is sent until its connection has drained, because it was too late: data sent now would be shown late.
    var isDraining = false
    /// Compresses the timestamps of B-frames that follow the fast start in decoding order but are shown before its end.
    var compression: TimeCompression?
    var compressedTrack: TrackID?
    /// Spreads the fast start on UDP; `nil` once the viewer has caught up.
    var pacer: Pacer?
    /// The sender that its latest UDP message was added to.
    var lastSender: UDPSender?
    /// When it started to play.
    var startedAt: MonotonicTime
    /// When it last requested a keyframe because it had fallen behind.
    var lastKeyframeRequest = MonotonicTime(nanoseconds: .min / 2)
    /// When it last took a packet.
    var lastProgress: MonotonicTime
    /// Since when units wait for it; `nil` while it keeps up.
    var behindSince: MonotonicTime?
    /// Until when its full connection is not checked, unless the socket becomes writable.
    var suspendedUntil = MonotonicTime(nanoseconds: .min / 2)
    /// The RTP time of the last run it was sent, before its offset.
    var lastTicks: UInt32?
    /// When its next sender reports are due.
    var nextReport = MonotonicTime.distantFuture

    /// Units that were skipped because it did not keep up.
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

    /// Adds a track that SETUP negotiated. If the track was set up before, it is replaced.
    public func setUp(_ track: TrackID, as viewerTrack: ViewerTrack) {
        tracks[track.index] = viewerTrack
    }

    /// Sends all tracks of the stream as this one RTP stream.
    public func setUpAll(as viewerTrack: ViewerTrack) {
        tracks = Array(repeating: viewerTrack, count: tracks.count)
    }

    /// Whether no track before `index` shares this RTP stream.
    func isFirst(_ track: ViewerTrack, at index: Int) -> Bool {
        tracks.firstIndex { $0 === track } == index
    }

    /// Whether the viewer has set up this track.
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
        // The times of the fast start are compressed already.
        guard let compression, run.track == compressedTrack, !isInFastStart else {
            return run.presentationTime.rtpTicks
        }
        return UInt32(truncatingIfNeeded: compression(run.presentationTime.ticks))
    }

    /// Whether its connection was full a short time ago.
    func isSuspended(at now: MonotonicTime) -> Bool {
        suspendedUntil > now && output != nil && (isDraining || output?.isBlocked == true)
    }

    /// Whether the next run belongs to the fast start.
    var isInFastStart: Bool { position.fastStart < fastStart.count }

    /// Releases the fast start. No batch may contain messages of it.
    func endFastStart() {
        fastStart = []
        fastStartCharge = nil
        position.fastStart = 0
    }

    /// Advances to the next run.
    func advance() {
        if isInFastStart {
            position.fastStart += 1
        } else {
            position.index += 1
        }
        position.packet = 0
    }

    /// Restores position and counts, because the kernel did not take a message.
    func rollBack(to position: Position, isAwaitingKeyframe: Bool, track: TrackID, packets: Int, octets: Int) {
        self.position = position
        self.isAwaitingKeyframe = isAwaitingKeyframe
        tracks[track.index]?.rollBack(packets: packets, octets: octets)
        audience?.listBehind(self)
    }
}
