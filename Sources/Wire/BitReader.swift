/// A cursor over bits, most significant first, with the Exp-Golomb codes of H.264 (ITU-T H.264, 9.1).
public struct BitReader: ~Escapable {
    @usableFromInline let bytes: RawSpan

    /// The index of the next bit.
    public private(set) var bitOffset = 0

    @_lifetime(copy bytes)
    @inlinable
    public init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    /// The number of bits left.
    public var remaining: Int { bytes.byteCount * 8 - bitOffset }

    /// Reads one bit.
    @_lifetime(self: copy self)
    public mutating func flag() -> Bool? {
        bits(1).map { $0 == 1 }
    }

    /// Reads an unsigned number of `count` bits (0…32); returns `nil` and leaves the cursor unmoved if there are not enough bits.
    @_lifetime(self: copy self)
    public mutating func bits(_ count: Int) -> UInt32? {
        guard (0...32).contains(count), count <= remaining else { return nil }
        var value: UInt32 = 0
        for _ in 0..<count {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: bitOffset >> 3, as: UInt8.self)
            value = value << 1 | UInt32(byte >> UInt8(7 - bitOffset & 7) & 1)
            bitOffset += 1
        }
        return value
    }

    /// Skips `count` bits; returns false if there are not enough.
    @_lifetime(self: copy self)
    public mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= remaining else { return false }
        bitOffset += count
        return true
    }

    /// Reads an unsigned Exp-Golomb code, ue(v); returns `nil` if the bits end early or the value needs more than 32 bits.
    @_lifetime(self: copy self)
    public mutating func unsignedExpGolomb() -> UInt32? {
        var leadingZeros = 0
        while true {
            guard let bit = flag() else { return nil }
            if bit { break }
            leadingZeros += 1
            guard leadingZeros < 32 else { return nil }
        }
        guard let suffix = bits(leadingZeros) else { return nil }
        // leadingZeros <= 31, so the sum is at most 2³² − 2.
        return (UInt32(1) << UInt32(leadingZeros) - 1) + suffix
    }

    /// Reads a signed Exp-Golomb code, se(v).
    @_lifetime(self: copy self)
    public mutating func signedExpGolomb() -> Int32? {
        guard let code = unsignedExpGolomb() else { return nil }
        // Codes 1, 2, 3, 4 … are 1, −1, 2, −2 …; (2³² − 2 + 1) / 2 fits.
        let magnitude = Int64((UInt64(code) + 1) / 2)
        return Int32(truncatingIfNeeded: code & 1 == 1 ? magnitude : -magnitude)
    }
}
