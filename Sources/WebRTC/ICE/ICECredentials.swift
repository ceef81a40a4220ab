/// The user name fragment and the password of one side (RFC 8839, section 5.4).
public struct ICECredentials: Hashable, Sendable {
    /// Names the session in the checks of the peer.
    public let userFragment: String
    /// The key of the checks: the peer's checks have our password, and our answers too.
    public let password: String

    /// - Returns: `nil` unless the fragment has 4 to 256 characters of ICE, and the password 22 to 256.
    public init?(userFragment: String, password: String) {
        guard Self.isValid(userFragment, 4...256), Self.isValid(password, 22...256) else { return nil }
        (self.userFragment, self.password) = (userFragment, password)
    }

    /// The bytes that ``init(random:)`` needs.
    public static let randomByteCount = 24

    /// Makes credentials of 24 random bytes: 48 bits for the fragment, 144 for the password. At least 24 and 128 are required.
    public init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "credentials need 24 random bytes")
        (userFragment, password) = (Self.text(of: random[..<6]), Self.text(of: random[6...]))
    }

    /// Four characters for each three bytes.
    private static func text(of bytes: ArraySlice<UInt8>) -> String {
        var characters: [UInt8] = []
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                characters.append(alphabet[Int(bits >> UInt32(bitCount) & 0x3F)])
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// The characters of ICE: letters, digits, `+` and `/`.
    private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func isValid(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
        // libdatachannel and some other agents also use `-` and `_`.
        lengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { alphabet.contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
}
