import Connecting
import RTMP
import RTMPClient
import RTSP
import RTSPClient
import Streams

extension RTSPForwardPlan {
    /// The plan for the settings of a forward.
    init(
        _ url: RequestURL, _ settings: Configuration.Forward, _ forwarded: ForwardedStream,
        _ destinations: PermittedDestinations
    ) throws(SourceFailure) {
        var plan = SessionPlan(url, transport: settings.transport.session)
        plan.destinations = destinations
        do throws(OpenSSLFailure) {
            plan.login = try RTSP.ClientLogin(at: url, user: settings.user, password: settings.password)
        } catch {
            throw SourceFailure(reason: "\(error)")
        }
        do throws(ClientSessionEnd) {
            if url.isSecure { try plan.accept(settings.certificate.certificates) }
        } catch {
            throw SourceFailure(reason: "\(error)")
        }
        self.init(plan, title: forwarded.title, information: forwarded.information)
    }
}

extension RTMPForwardPlan {
    /// The plan for the settings of a forward.
    init(
        _ url: RTMPURL, _ settings: Configuration.Forward, _ destinations: PermittedDestinations
    ) throws(SourceFailure) {
        self.init(
            try RTMPSessionPlan(
                url, .publish, user: settings.user, password: settings.password,
                certificates: settings.certificate.certificates, destinations))
    }
}
