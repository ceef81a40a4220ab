import Connecting
import Logging
import Media
import Reactor
import SRTClient
import SRTServer
import Streams

/// Publishes a stream to another server. A media loop carries it out (`ForwardLoops`), without a thread of its own.
final class ServerForward: PathForward {
    let label: String
    let transport: String
    private let loops: ForwardLoops
    /// `nil` if this host lacks a library that the settings need; `failure` says which.
    private let forward: Forward?
    private let failure: ForwardStatus?
    /// `nil` unless the protocol is SRT.
    private let srtPlan: SRTForwardPlan?

    /// - Parameter plan: by the protocol of the URL.
    init(
        _ settings: Configuration.Forward, of forwarded: ForwardedStream, on loops: ForwardLoops, log: Logger,
        plan: () throws(SourceFailure) -> any ForwardPlan
    ) {
        label = settings.destination.description
        transport = settings.transportText
        self.loops = loops
        var log = log
        log[metadataKey: "forward"] = "\(label)"
        let now = MonotonicTime.now()
        do throws(SourceFailure) {
            let plan = try plan()
            srtPlan = plan as? SRTForwardPlan
            forward = Forward(
                plan, of: forwarded.stream, holdsStream: forwarded.isHeld, observer: ForwardJournal(log), at: now)
            failure = nil
        } catch {
            log.error("\(error)")
            (srtPlan, forward, failure) = (nil, nil, .failed(because: error.description, at: now))
        }
    }

    var status: ForwardStatus {
        // One of the two exists.
        forward?.status ?? failure ?? .failed(because: "", at: .now())
    }

    var srt: SRTStatistics? { srtPlan?.statistics }

    func start(after former: (any PathForward)?) {
        if let forward { loops.start(forward, after: (former as? ServerForward)?.forward) }
    }

    func stop() {
        forward?.stop()
    }
}
