import Connecting
import Delivery
import RTMP
import RTMPClient
import RTP
import RTSP
import Streams
import TLS

/// Pulls over RTMP.
struct RTMPPulling: PullProtocol {
    let url: RTMPURL
    let settings: Configuration.Pull
    let trust: SenderClockTrust
    let loops: RTMPPullLoops

    var label: String { url.label }

    func plans() throws(SourceFailure) -> [RTMPSessionPlan] {
        [
            try RTMPSessionPlan(
                url, .play, user: settings.user, password: settings.password,
                certificates: settings.certificate.certificates, loops.destinations)
        ]
    }

    func transport(of plan: RTMPSessionPlan) -> String { url.isSecure ? "RTMPS" : "RTMP" }

    func start(_ pull: RTMPPull) { loops.start(pull) }

    func needsOtherWay(after end: RTMPPullEnd) -> Bool { false }

    func failure(_ end: RTMPPullEnd) -> SourceFailure {
        if case .session(let failure) = end { return SourceFailure(failure, at: label) }
        return SourceFailure(reason: "\(label): \(end)")
    }
}

extension RTMPSessionPlan {
    /// A session with the server at a URL.
    ///
    /// - Parameter user: replaces the user of the URL; empty for that of the URL.
    init(
        _ url: RTMPURL, _ action: ClientTarget.Action, user: String, password: String,
        certificates: TLSClient.Certificates, _ destinations: PermittedDestinations
    ) throws(SourceFailure) {
        var connection = url.connection
        connection.destinations = destinations
        do throws(IdentityFailure) {
            if url.isSecure { connection.security = try TLSClient(accepting: certificates) }
        } catch {
            throw SourceFailure(reason: "\(url): \(ConnectionFailure.noTLS(error))")
        }
        let credentials =
            user.isEmpty ? url.userInformation.map { ($0.user, $0.password ?? "") } : (user, password)
        do throws(OpenSSLFailure) {
            let login = try credentials.map { credentials throws(OpenSSLFailure) in
                try RTMP.ClientLogin(user: credentials.0, password: credentials.1)
            }
            self.init(url.target(action), connection, login: login)
        } catch {
            throw SourceFailure(reason: "\(error)")
        }
    }
}
