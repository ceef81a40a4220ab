import Testing

@testable import TLS

/// Which certificates of servers a client accepts.
struct CertificateCheckTests {
    /// The client's failure after a handshake and an attempt to send; `nil` if it accepts the certificate.
    private func failure(_ certificates: TLSClient.Certificates, at host: String?) throws -> TLSFailure? {
        var ends = try ConnectedEnds(accepting: certificates, at: host)
        ends.exchange()
        ends.client.write(Array("secret".utf8))
        ends.exchange()
        #expect(
            ends.receivedByServer.isEmpty == (ends.client.failure != nil), "nothing is sent to a server without trust")
        return ends.client.failure
    }

    private func fingerprint(_ failure: TLSFailure?) throws -> [UInt8] {
        guard case .untrusted(_, let fingerprint)? = failure else {
            Issue.record("\(String(describing: failure))")
            return []
        }
        #expect(failure?.description.contains(fingerprint.map { String($0, radix: 16) }.last ?? "") == true)
        return fingerprint
    }

    @Test func anyCertificateIsAcceptedIfAnyIsAskedFor() throws {
        for host in [nil, "localhost", "other.example"] { #expect(try failure(.any, at: host) == nil) }
    }

    @Test func aSelfSignedCertificateIsNotVerified() throws {
        for host in ["localhost", "192.0.2.7", "other.example"] {
            let failure = try failure(.verified, at: host)
            #expect(try fingerprint(failure).count == 32)
            #expect(failure?.description.contains("self-signed certificate") == true)
        }
    }

    @Test func aFingerprintAcceptsItsCertificateOnly() throws {
        let wrong = [UInt8](repeating: 7, count: 32)
        let right = try fingerprint(try failure(.fingerprint(wrong), at: "localhost"))
        #expect(right.count == 32 && right != wrong)
        #expect(try failure(.fingerprint(right), at: "other.example") == nil)
    }
}
