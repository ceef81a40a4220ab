import RTP
import Testing

@testable import RTSP

/// Differences for clients inside TLS.
struct SecurityTests {
    @Test(arguments: [
        ("RTP/AVP;unicast;client_port=5000-5001", 461), ("RTP/AVP;multicast", 461), ("RTP/AVP/TCP;unicast", 200),
        ("RTP/AVP;unicast;client_port=5000-5001,RTP/AVP;multicast,RTP/AVP/TCP;unicast;interleaved=0-1", 200),
    ])
    func mediaStaysInsideTLS(transport: String, status: Int) {
        var dialogue = Dialogue(security: .tls)
        dialogue.ask(.describe)
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/track1", [.transport: transport])
        #expect(response?.status.code == status)
        if status == 200 {
            #expect(response?.headers[.transport]?.hasPrefix("RTP/AVP/TCP;") == true)
        } else {
            #expect(response?.reason.contains("RTP/AVP/TCP") == true)
        }
    }

    @Test func satIPIsNotSupportedInsideTLS() {
        var dialogue = Dialogue(security: .tls)
        let response = dialogue.ask(.setUp, Dialogue.url, [.transport: "RTP/AVP;unicast;client_port=5000-5001"])
        #expect(response?.status == .unsupportedTransport)
    }

    @Test func aTLSFailureEndsSessionsAndConnection() throws {
        var dialogue = Dialogue(security: .tls)
        let session = try dialogue.setUp()
        dialogue.connection.securityFailed("its TLS connection failed: bad record mac")
        dialogue.drain()
        let reason = CloseReason.securityFailed("its TLS connection failed: bad record mac")
        #expect(dialogue.orders.suffix(2) == [.tearDown(session, .connectionClosed(reason)), .close(reason)])
        #expect(dialogue.connection.nextDeadline == nil)
    }

    /// A response has one challenge, because live555 reads only the first: Basic only if some users cannot log in by Digest.
    @Test func basicIsOfferedInsideTLSForSaltedPasswords() {
        let salted = AccessPolicy.test()
        for (policy, security, scheme) in [
            (salted, ConnectionSecurity.tls, "Basic realm=\"Apus\""), (salted, .clear, "Digest "),
            (.unsalted, .tls, "Digest "), (.unsalted, .clear, "Digest "),
        ] {
            var dialogue = Dialogue(access: policy, security: security)
            let values = dialogue.ask(.describe)?.headers.values(of: .wwwAuthenticate)
            #expect(values?.count == 1 && values?.first?.hasPrefix(scheme) == true, "\(values ?? [])")
        }
    }
}

extension AccessPolicy {
    /// A policy with the user `ann` and a password for Digest.
    fileprivate static let unsalted = AccessPolicy(
        realm: "Apus", users: [User(name: "ann", secret: .password("sesame"), rights: [:])], hashes: { .real },
        random: { 7 })
}
