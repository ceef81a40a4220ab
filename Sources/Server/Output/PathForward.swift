import Connecting
import Logging
import RTMPClient
import RTSPClient
import SRTClient
import SRTServer
import Streams

/// One forward of a path, whatever its protocol. Thread-safe.
protocol PathForward: Sendable {
    /// The URL without user, password and the name of the stream, if that is a secret.
    var label: String { get }
    /// How media is sent, for users: `TCP`, `UDP`, `TLS`, `RTMP`, `RTMPS`, `SRT`.
    var transport: String { get }
    var status: ForwardStatus { get }
    /// What libsrt has counted on the present connection; `nil` if there is none over SRT.
    var srt: SRTStatistics? { get }

    /// Begins it. Returns at once.
    ///
    /// - Parameter former: one with the same destination that was stopped; its end is waited for.
    func start(after former: (any PathForward)?)
    /// Ends it: the server is told. Returns at once.
    func stop()
}

/// What is forwarded.
struct ForwardedStream: Sendable {
    let stream: Streams.Stream
    /// The name and the information in the description.
    let title: String
    let information: String?
    /// Whether a forward needs the stream, as a viewer does.
    let isHeld: Bool
}

/// Makes a forward with these settings, by the scheme of its URL. Nothing is sent before it is started.
///
/// - Parameter log: for messages of the forward.
func makeForward(
    _ settings: Configuration.Forward, of forwarded: ForwardedStream, on loops: ForwardLoops, _ calls: SRTCalls,
    log: Logger
) -> any PathForward {
    ServerForward(settings, of: forwarded, on: loops, log: log) { () throws(SourceFailure) -> any ForwardPlan in
        switch settings.destination {
        case .rtsp(let url, _): try RTSPForwardPlan(url, settings, forwarded, loops.destinations)
        case .rtmp(let url, _): try RTMPForwardPlan(url, settings, loops.destinations)
        case .srt(let url, _): SRTForwardPlan(url, by: calls)
        }
    }
}
