import Connecting
import Delivery
import Media
import RTP
import RTSP
import Reactor
import SDP

/// A stream that is pulled over RTSP. ``RTSPPullLoops`` carry it out.
public typealias RTSPPull = Pull<RTSPPullPlan, RTSPPullEnd>

/// What is pulled over RTSP.
public struct RTSPPullPlan: Sendable {
    public let session: SessionPlan
    /// How many seconds the first packet may take after the answer to PLAY.
    public let firstMediaSeconds: Int

    public init(_ session: SessionPlan, firstMediaSeconds: Int = StreamReception.silenceSeconds) {
        var session = session
        session.mediaChoice = .received
        session.repairPatience = StreamReceiver.patience
        (self.session, self.firstMediaSeconds) = (session, firstMediaSeconds)
    }
}

/// Why a pull over RTSP has ended.
public enum RTSPPullEnd: Sendable, CustomStringConvertible {
    case session(ClientSessionEnd)
    /// Nothing came for this many seconds, after media or, without any, after the answer to PLAY.
    case silence(seconds: Int, hadMedia: Bool)
    /// The server has media, but none in a codec that Apus receives.
    case noSupportedCodec([String])
    /// The server sends a transport stream of which nothing can be used.
    case unusable(TransportStreamFault)

    public var description: String {
        switch self {
        case .session(let end): end.description
        case .silence(let seconds, _): "no media has come for \(seconds) seconds"
        case .noSupportedCodec(let names):
            "the stream has no supported codec, only \(names.joined(separator: ", "))"
        case .unusable(let fault): fault.description
        }
    }
}

/// The reception of one pull. Loop thread only.
struct PullReception {
    let pull: RTSPPull
    /// `nil` before the server has described its stream.
    private var reception: StreamReception?
    /// When a keyframe may be requested again because of a loss.
    private var nextRequest = MonotonicTime(nanoseconds: 0)
    /// How long the keyframe may take before it is requested again.
    private static let requestMilliseconds: Int64 = 500

    init(_ pull: RTSPPull) {
        self.pull = pull
    }

    /// When to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime { reception?.nextDeadline ?? .distantFuture }
    /// When to call ``noteStatus(_:roundTrip:at:)``.
    private(set) var nextStatus = MonotonicTime.distantFuture

    /// The server has described its stream.
    ///
    /// - Returns: why it cannot be received; `nil` if it can.
    mutating func described(_ description: SessionDescription) -> RTSPPullEnd? {
        guard let media = ReceivedMedia(pulledFrom: description) else {
            let names = description.media.compactMap { $0.describedTrack?.name }
            return names.isEmpty ? .session(.nothingToPlay) : .noSupportedCodec(names)
        }
        reception = StreamReception(media.source, into: pull.input, firstMediaSeconds: pull.plan.firstMediaSeconds)
        return nil
    }

    /// The server has answered PLAY.
    mutating func began(at now: MonotonicTime) {
        reception?.began(at: now)
        nextStatus = now.advanced(byMilliseconds: 1_000)
    }

    /// Notes what has been received. See ``StreamReception/noteStatus(_:roundTrip:)``.
    mutating func noteStatus(_ statistics: [ReceptionStatistics], roundTrip: Int64?, at now: MonotonicTime) {
        reception?.noteStatus(statistics, roundTrip: roundTrip)
        nextStatus = now.advanced(byMilliseconds: 1_000)
    }

    /// - Returns: whether a keyframe is to be requested now, because something was lost.
    mutating func received(_ packet: borrowing ReceivedPacket) -> Bool {
        reception?.received(packet.payload, header: packet.header, track: packet.track, arrival: packet.arrival)
        guard reception?.needsKeyframe == true, nextRequest <= packet.arrival else { return false }
        nextRequest = packet.arrival.advanced(byMilliseconds: Self.requestMilliseconds)
        return true
    }

    mutating func received(_ report: SenderReport, track: Int, arrival: MonotonicTime) {
        reception?.received(report, track: track, arrival: arrival)
    }

    /// - Returns: why the pull ends now; `nil` if it goes on.
    mutating func deadlinePassed(at now: MonotonicTime) -> RTSPPullEnd? {
        switch reception?.deadlinePassed(at: now) {
        case .silence(let seconds): .silence(seconds: seconds, hadMedia: reception?.hasMedia == true)
        case .unusable(let fault): .unusable(fault)
        case nil: nil
        }
    }
}
