import RTSP

extension HashFunctions {
    /// Fast replacements of the real hash functions; a fuzzer does not need to break them. Comparisons are free of branches, so
    /// that the fuzzer cannot learn the right value from coverage.
    static let folding = HashFunctions(
        md5: { fold($0, into: 16) }, sha256: { fold($0, into: 32) }, stretched: { fold($1 + $0, into: 32) },
        isSame: { zip($0, $1).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0 })
}

/// FNV-1a, repeated for every eight bytes of output.
private func fold(_ bytes: [UInt8], into count: Int) -> [UInt8] {
    (0..<count / 8).flatMap { round -> [UInt8] in
        var state: UInt64 = 0xCBF2_9CE4_8422_2325 &+ UInt64(round) &* 0x9E37_79B9_7F4A_7C15
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return (0..<8).map { UInt8(truncatingIfNeeded: state >> (8 * UInt64($0))) }
    }
}
