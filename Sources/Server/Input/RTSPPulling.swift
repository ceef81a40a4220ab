import Connecting
import Delivery
import RTP
import RTSP
import RTSPClient
import Reactor
import Streams

/// Pulls over RTSP: over TCP, and over UDP if the server refuses TCP or sends nothing.
struct RTSPPulling: PullProtocol {
    let url: RequestURL
    let settings: Configuration.Pull
    let trust: SenderClockTrust
    let loops: RTSPPullLoops

    var label: String { url.text }

    func plans() throws(SourceFailure) -> [RTSPPullPlan] {
        let login = try login
        var plans: [RTSPPullPlan] = []
        // With TLS, media comes inside the connection.
        for transport in url.isSecure ? [.tcp] : settings.transport.sessions {
            var plan = SessionPlan(url, transport: transport)
            plan.login = login
            plan.destinations = loops.destinations
            // A keyframe of a 4K camera comes at once, and may be larger than a viewer's buffer.
            plan.datagramBufferByteCount = UDPSocket.requestedBufferByteCount
            do throws(ClientSessionEnd) {
                if url.isSecure { try plan.accept(settings.certificate.certificates) }
            } catch {
                throw SourceFailure(reason: "\(url.text): \(error)")
            }
            plans.append(
                RTSPPullPlan(plan, firstMediaSeconds: settings.transport.firstMediaSeconds(over: transport)))
        }
        return plans
    }

    private var login: RTSP.ClientLogin? {
        get throws(SourceFailure) {
            do throws(OpenSSLFailure) {
                return try RTSP.ClientLogin(at: url, user: settings.user, password: settings.password)
            } catch {
                throw SourceFailure(reason: "\(error)")
            }
        }
    }

    func transport(of plan: RTSPPullPlan) -> String {
        let transport = plan.session.transport
        return url.isSecure ? "TLS" : transport == .multicast ? "multicast" : transport.rawValue.uppercased()
    }

    func start(_ pull: RTSPPull) { loops.start(pull) }

    func needsOtherWay(after end: RTSPPullEnd) -> Bool {
        switch end {
        case .session(.closed(.otherTransport)), .session(.closed(.refused(.setUp, .unsupportedTransport, _, _))): true
        // A firewall drops the packets, or the server believes that another transport was asked for.
        case .silence(_, let hadMedia): !hadMedia
        default: false
        }
    }

    func failure(_ end: RTSPPullEnd) -> SourceFailure {
        if case .session(let session) = end { return SourceFailure(SessionFailure(session), at: label) }
        return SourceFailure(reason: "\(label): \(end)")
    }
}
