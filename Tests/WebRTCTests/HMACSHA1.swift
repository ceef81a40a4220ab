import WebRTC

/// HMAC-SHA1 (RFC 2104, RFC 3174) of a message: slow, but without a library.
let hmacSHA1: MessageAuthentication = { message, key in
    let block = (key.count > 64 ? sha1(key) : key) + [UInt8](repeating: 0, count: max(0, 64 - key.count))
    return sha1(block.prefix(64).map { $0 ^ 0x5C } + sha1(block.prefix(64).map { $0 ^ 0x36 } + message))
}

private func sha1(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += (0..<8).map { UInt8(truncatingIfNeeded: (UInt64(message.count) * 8) >> UInt64(56 - 8 * $0)) }
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) {
        var words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(padded[start + 4 * index + $1]) }
        }
        for index in 16..<80 {
            let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(mixed.rotated(by: 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (function, constant): (UInt32, UInt32) =
                switch index {
                case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = a.rotated(by: 5) &+ function &+ e &+ constant &+ words[index]
            (a, b, c, d, e) = (next, a, b.rotated(by: 30), c, d)
        }
        state = zip(state, [a, b, c, d, e]).map { $0 &+ $1 }
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
}

extension UInt32 {
    fileprivate func rotated(by count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
