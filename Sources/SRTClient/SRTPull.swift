import Connecting
import SRT
import SRTServer

/// A stream that is pulled over SRT.
public typealias SRTPull = Pull<SRTURL, SessionFailure>

extension SRTCalls {
    /// Begins a pull. Its viewers get each unit as soon as libsrt delivers it: after the latency of the connection.
    public func start(_ pull: SRTPull) {
        let loop: SRTLoop
        do throws(SRTFailure) {
            loop = try start()
        } catch {
            return pull.end(SessionFailure("\(error)", .refused))
        }
        let call = OutgoingCall(to: pull.plan, permittedBy: destinations) { target, events in
            loop.receive(from: target, into: pull.input, events: events)
        } events: { event in
            if case .ended(let end) = event { pull.end(SessionFailure(end)) }
        }
        pull.start { order in
            switch order {
            case .start: call.start()
            case .stop: call.close()
            // SRT has no such request.
            case .requestKeyframe: break
            }
        }
    }
}
