import Testing

@testable import TLS

/// Tests which certificates and keys a server accepts, and the reasons for refusing others.
struct ServerIdentityTests {
    private func own(days: Int = 7) throws -> SelfSignedCertificate {
        try SelfSignedCertificate(
            for: [.host("garden.example"), .host("localhost"), .address("192.0.2.7"), .address("2001:db8::7")],
            days: days)
    }

    private func failure(certificates: [UInt8], key: [UInt8]) -> IdentityFailure? {
        do throws(IdentityFailure) {
            _ = try ServerIdentity(certificates: certificates, key: key)
            return nil
        } catch {
            return error
        }
    }

    @Test func aSelfSignedCertificateIsAcceptedAndHasItsValidity() throws {
        let own = try own(days: 100)
        let validity = try ServerIdentity(certificates: own.certificate, key: own.key).validity
        #expect(validity.upperBound - validity.lowerBound == 101 * 86_400, "the validity begins one day before today")
        #expect(
            try ServerIdentity(certificates: own.certificate + self.own().certificate, key: own.key).validity
                == validity)
        #expect(try own.key != self.own().key)
    }

    @Test func anInvalidCertificateOrKeyIsRefusedWithAReason() throws {
        let (own, other) = (try own(), try own())
        let noise = Array("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n".utf8)
        #expect(failure(certificates: own.certificate, key: own.key) == nil)
        #expect(failure(certificates: [], key: own.key) == .noCertificate)
        #expect(failure(certificates: noise, key: own.key) == .noCertificate)
        #expect(failure(certificates: own.key, key: own.key) == .noCertificate)
        #expect(failure(certificates: own.certificate, key: []) == .noKey)
        #expect(failure(certificates: own.certificate, key: own.certificate) == .noKey)
        #expect(failure(certificates: own.certificate, key: other.key) == .mismatchedKey)
        #expect(failure(certificates: own.certificate, key: Array(Self.locked.utf8)) == .encryptedKey)
        #expect(failure(certificates: Array(Self.weak.utf8), key: own.key) == .weakKey)
    }

    @Test func invalidNamesMakeNoCertificate() {
        #expect(throws: IdentityFailure.impossible) { try SelfSignedCertificate(for: [.address("nowhere")], days: 7) }
        #expect(throws: IdentityFailure.impossible) { try SelfSignedCertificate(for: [], days: 7) }
    }

    /// A key with the passphrase `secret`.
    private static let locked = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgzrSDn6RwxXgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEBkTM3tbhogph/hXOIywSLEEgZBD
        /0jSf03SvUN9xHhrzOCo438uGJnXV2t3+H2sVEYUAPdAmWuqncGuGOFsYzJHMw2p
        1lt3K0MAK/TsBjkvXkj6hqL/0EGJTV6UyAI/u6vo9NWPv2+Aew/qS+KDwjpWJJ8o
        yARtEMp0/egiWHgFEb+kQdQAUH8OQmabCU7SNPj//EC/5AoK5r3RY5CFk191i+8=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// A certificate with a key of 512 bits, which is easily broken.
    private static let weak = """
        -----BEGIN CERTIFICATE-----
        MIIBdzCCASGgAwIBAgIUQZNb09PULhvGmX4FYpgKVEp65DwwDQYJKoZIhvcNAQEL
        BQAwDzENMAsGA1UEAwwEd2VhazAgFw0yNjExMjExODM1NDFaGA8yMTI2MTAyODE4
        MzU0MVowDzENMAsGA1UEAwwEd2VhazBcMA0GCSqGSIb3DQEBAQUAA0sAMEgCQQC3
        ncGqeCK9ux5D0RnuEaNpgHmh28ftRknJ2KJns+aWjjM/zWhPLeJWmRlM3cnuFkOw
        P+Y+iMtUng8Dm7TJCnc5AgMBAAGjUzBRMB0GA1UdDgQWBBRham+VQ59psUMiI1uN
        GsmjTwLHKzAfBgNVHSMEGDAWgBRham+VQ59psUMiI1uNGsmjTwLHKzAPBgNVHRMB
        Af8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA0EAAbyGDt+nSH5G0BZQztTVcF8lT70h
        eMNhiNxT7q2dQT34lHqlHeK+pr7/1jFt+vofHmFjgMdFNyRuw1G4KVAo+g==
        -----END CERTIFICATE-----

        """
}
