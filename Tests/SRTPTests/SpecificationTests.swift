import RTP
import Testing

@testable import SRTP

/// Tests with the examples of the specifications.
struct SpecificationTests {
    /// RFC 3711, appendix B.2.
    @Test func theCounterModeKeyStreamMatchesTheRFC() throws {
        let cipher = try Cipher(
            .counterMode, .seals, key: bytes("2B7E151628AED2A6ABF7158809CF4F3C"),
            salt: bytes("F0F1F2F3F4F5F6F7F8F9FAFBFCFD"))
        let stream = cipher.sealed([UInt8](repeating: 0, count: 48), index: 0, ssrc: 0)
        #expect(
            stream.prefix(48).elementsEqual(
                bytes(
                    """
                    E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB
                    41E95B3BB0A2E8DD477901E4FCA894C0
                    """)))
    }

    /// RFC 3711, appendix B.3.
    @Test func theDerivedKeysMatchTheRFC() throws {
        let master = try #require(
            MasterKey(
                .counterMode, material: bytes("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6")))
        let keys = try SessionKeys(of: master, for: .rtp)
        #expect(keys.encryption == bytes("C61E7A93744F39EE10734AFE3FF7A087"))
        #expect(keys.salt == bytes("30CBBC08863D8C85D49DB34A9AE1"))
        #expect(keys.authentication == bytes("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
        #expect(try SessionKeys(of: master, for: .rtcp).encryption != keys.encryption)
    }

    private static let gcmKey = bytes("000102030405060708090A0B0C0D0E0F")
    private static let gcmSalt = bytes("517569642070726F2071756F")

    /// RFC 7714, section 16.1.1.
    @Test func aGCMPacketMatchesTheRFC() throws {
        let header = bytes("8040F17B 8041F8D3 5501A0B2")
        let payload = Array("Gallia est omnis divisa in partes tres".utf8)
        let cipher = try Cipher(.gcm, .seals, key: Self.gcmKey, salt: Self.gcmSalt)
        #expect(
            cipher.sealed(payload, index: 0xF17B, ssrc: 0x5501_A0B2, header: header)
                == bytes(
                    """
                    F24DE3A3FB34DE6CACBA861C9D7E4BCABE633BD50D294E6F42A5F47A51C7D19B36DE3ADF8833
                    899D7F27BEB16A9152CF765EE4390CCE
                    """))
    }

    /// RFC 7714, section 17.1.
    @Test func aGCMControlPacketMatchesTheRFC() throws {
        let report = bytes(
            """
            81C8000D 4D617273 4E545031 4E545032 52545020 0000042A 0000E930 4C756E61
            DEADBEEF DEADBEEF DEADBEEF DEADBEEF DEADBEEF
            """)
        let cipher = try Cipher(.gcm, .seals, key: Self.gcmKey, salt: Self.gcmSalt)
        let sealed = cipher.sealed(
            Array(report[8...]), index: 0x5D4, ssrc: 0x4D61_7273, header: Array(report[..<8]),
            trailer: bytes("800005D4"))
        #expect(
            sealed
                == bytes(
                    """
                    63E94885DCDAB67CA727D7662F6B7E997FF5C0F76C06F32DC676A5F1730D6FDA4CE09B4686303DED0BB9275B
                    C84AA45896CF4D2FC5ABF87245D9EADE
                    """))
    }
}
