import TestSupport
import Testing

@testable import SDP

/// Base 64 and hexadecimal.
@Suite struct EncodingTests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64MatchesTheSpecification(plain: String, encoded: String) {
        #expect(Base64.encode([UInt8](plain.utf8)) == encoded)
        #expect(Base64.decode(Substring(encoded)) == [UInt8](plain.utf8))
        #expect(Base64.decode(Substring(encoded.prefix { $0 != "=" })) == [UInt8](plain.utf8))
    }

    @Test func encodedBytesAreDecoded() {
        var random = SplitMix64(seed: 4648)
        for count in 0..<200 {
            let bytes = random.bytes(count)
            #expect(Base64.decode(Substring(Base64.encode(bytes))) == bytes)
            #expect(Hexadecimal.decode(Substring(Hexadecimal.encode(bytes))) == bytes)
            #expect(Hexadecimal.decode(Substring(Hexadecimal.encode(bytes).lowercased())) == bytes)
        }
    }

    @Test(arguments: ["Zg-=", "Zm 9v", "Zm9v\n", "Zé"])
    func otherCharactersAreNotBase64(text: String) {
        #expect(Base64.decode(Substring(text)) == nil)
    }

    @Test(arguments: ["0", "0g", "1 2", "0x12", "é"])
    func otherCharactersAreNotHexadecimal(text: String) {
        #expect(Hexadecimal.decode(Substring(text)) == nil)
    }
}
