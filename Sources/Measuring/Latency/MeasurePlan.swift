import Media
import RTSPClient
import Reactor

/// What `apus measure` is asked to do.
public struct MeasurePlan: Sendable {
    public var session: SessionPlan
    /// Live frames after which it is enough; by time alone where `nil`.
    public var frames: Int?
    /// Seconds of live frames after which it is enough, whatever `frames` says.
    public var seconds: Double
    /// For how long nothing may happen: no answer, no first picture, no further frame.
    public var timeoutMilliseconds: Int64 = 10_000
    public var clocks = ClockRelation.Assumption.auto
    /// Whether the server's address is one of this host's.
    var isOwnAddress: Bool

    /// Frames of so long after the first packet count for the times to the first picture only: they may be a prelude that
    /// catches up with live, and decoders and caches are cold. In nanoseconds.
    static let settling: Int64 = 1_000_000_000

    /// Where this host's addresses cannot be told, the server's is taken for another host's, of whose clock less is believed.
    private static func isOwn(_ server: SocketAddress) -> Bool {
        let addresses = (try? LocalAddresses.all()) ?? []
        return addresses.contains { $0.with(port: 0) == server.with(port: 0) }
    }

    public init(session: SessionPlan, seconds: Double) {
        self.session = session
        self.seconds = seconds
        isOwnAddress = session.server.isLoopback || Self.isOwn(session.server)
    }
}

/// How far a measurement is, for whoever waits for it.
public struct MeasureProgress: Sendable {
    public var elapsedSeconds: Double
    /// Live frames, and those of them that the decoder has handed out, or something is wrong.
    public var frames: Int
    public var lostPackets: UInt64
}

/// Why nothing could be measured: one line for the user.
public enum MeasureFailure: Error, Sendable, CustomStringConvertible {
    /// The session did not come about, or ended before there was anything to measure.
    case ended(ClientSessionEnd)
    /// The description names these encodings, none of which is video.
    case noVideo([String])
    /// Nothing came for so long; what was awaited.
    case silence(seconds: Double, awaiting: String)
    /// libavcodec has none that works.
    case decoder(String)

    public var description: String {
        switch self {
        case .ended(let end): end.description
        case .noVideo(let encodings): "the stream has no video, only \(encodings.joined(separator: ", "))"
        case .silence(let seconds, let awaiting):
            "\(awaiting) within \(ReportTable.number(seconds)) s; --timeout gives it more time"
        case .decoder(let reason): "the decoder gave up: \(reason)"
        }
    }
}
