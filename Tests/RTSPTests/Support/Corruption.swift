import TestSupport

/// Random corruption of valid bytes.
enum Corruption {
    /// Returns `bytes` with one to four places changed, deleted, repeated or filled with random bytes.
    static func damaged(_ bytes: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !damaged.isEmpty else { break }
            let start = Int.random(in: 0..<damaged.count, using: &random)
            let end = min(damaged.count, start + Int.random(in: 1...12, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: damaged[start] = UInt8.random(in: .min ... .max, using: &random)
            case 1: damaged.removeSubrange(start..<end)
            case 2: damaged.insert(contentsOf: damaged[start..<end], at: start)
            case 3: damaged.insert(contentsOf: random.bytes(end - start), at: start)
            default:
                let digits = Array("99999999999999999999".utf8)
                damaged.replaceSubrange(start..<end, with: digits.prefix(Int.random(in: 1...20, using: &random)))
            }
        }
        return damaged
    }
}
