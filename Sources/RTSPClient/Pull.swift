import Delivery
import Media
import RTP
import RTSP
import Reactor
import SDP
import Streams
import Synchronization

/// A stream that is pulled from another server into a stream here. A source makes it and waits; a media loop carries it out
/// (`PullLoops`). Thread-safe.
public final class Pull: Sendable {
    /// Why a pull ended.
    public enum End: Sendable, CustomStringConvertible {
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

    let plan: SessionPlan
    /// How many seconds the first packet may take.
    let firstMediaSeconds: Int
    /// Closed by ``stop()``.
    let input: StreamInput
    private let end = Mutex<End?>(nil)
    private let bell: Doorbell
    /// The orders of the loop that carries it out.
    private let loop = Mutex<Mailbox<PullOrder>?>(nil)

    /// - Parameters:
    ///   - trust: whether the server's time of day is believed.
    ///   - firstMediaSeconds: how long the first packet may take after the answer to PLAY.
    ///   - transcoding: encodes the tracks that viewers cannot receive; without it, these are not published.
    public init(
        _ plan: SessionPlan, into stream: Streams.Stream, trust: SenderClockTrust = .auto,
        firstMediaSeconds: Int = StreamReception.silenceSeconds, transcoding: (any InputTranscoding)? = nil
    ) throws(SystemError) {
        var plan = plan
        plan.mediaChoice = .received
        plan.repairPatience = StreamReceiver.patience
        self.firstMediaSeconds = firstMediaSeconds
        (self.plan, input) = (plan, StreamInput(into: stream, trust: trust, transcoding: transcoding))
        bell = try Doorbell()
    }

    /// What is received; `nil` before the first second of media.
    public var status: ReceptionStatus? { input.status }

    /// The transport of the media.
    public var transport: SessionTransport { plan.transport }

    /// Waits until the pull has ended, or was cancelled. Blocks.
    ///
    /// - Returns: `nil` if it was cancelled.
    public func wait() -> End? {
        while !input.isClosed {
            if let end = end.withLock(\.self) { return end }
            bell.wait(milliseconds: .max)
        }
        return nil
    }

    /// Begins it on a loop.
    func start(on loop: Mailbox<PullOrder>) {
        self.loop.withLock { $0 = loop }
        loop.put(.start(self))
        // It may have been stopped before the loop was known.
        if input.isClosed { loop.put(.stop(self)) }
    }

    /// Asks the server for a keyframe, if its description says that it makes them on request.
    public func requestKeyframe() {
        loop.withLock(\.self)?.put(.requestKeyframe(self))
    }

    /// Ends it: `wait` returns at once, nothing more is published, and the server is told.
    public func stop() {
        input.close()
        bell.ring()
        loop.withLock(\.self)?.put(.stop(self))
    }

    func end(_ reason: End) {
        end.withLock { $0 = $0 ?? reason }
        bell.ring()
    }
}

/// The reception of one pull. Loop thread only.
struct PullReception {
    let pull: Pull
    /// `nil` before the server has described its stream.
    private var reception: StreamReception?
    /// When a keyframe may be requested again because of a loss.
    private var nextRequest = MonotonicTime(nanoseconds: 0)
    /// How long the keyframe may take before it is requested again.
    private static let requestMilliseconds: Int64 = 500

    init(_ pull: Pull) {
        self.pull = pull
    }

    /// When to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime { reception?.nextDeadline ?? .distantFuture }
    /// When to call ``noteStatus(_:roundTrip:at:)``.
    private(set) var nextStatus = MonotonicTime.distantFuture

    /// The server has described its stream.
    ///
    /// - Returns: why it cannot be received; `nil` if it can.
    mutating func described(_ description: SessionDescription) -> Pull.End? {
        guard let media = ReceivedMedia(pulledFrom: description) else {
            let names = description.media.compactMap { $0.describedTrack?.name }
            return names.isEmpty ? .session(.nothingToPlay) : .noSupportedCodec(names)
        }
        reception = StreamReception(media.source, into: pull.input, firstMediaSeconds: pull.firstMediaSeconds)
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
    mutating func deadlinePassed(at now: MonotonicTime) -> Pull.End? {
        switch reception?.deadlinePassed(at: now) {
        case .silence(let seconds): .silence(seconds: seconds, hadMedia: reception?.hasMedia == true)
        case .unusable(let fault): .unusable(fault)
        case nil: nil
        }
    }
}
