/// Reads the fuzzer's input as a list of instructions.
public struct Script {
    private let bytes: [UInt8]
    private var offset = 0

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var isAtEnd: Bool { offset >= bytes.count }

    /// The next byte; 0 past the end.
    public mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    public mutating func uint16() -> UInt16 {
        UInt16(byte()) << 8 | UInt16(byte())
    }

    /// Returns a chunk preceded by its length in one byte; shorter if the input ends.
    public mutating func chunk() -> [UInt8] {
        let count = min(Int(byte()), bytes.count - offset)
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }

    /// Returns the text up to the next line feed.
    public mutating func line() -> [UInt8] {
        var line: [UInt8] = []
        while !isAtEnd, line.last != 0x0A { line.append(byte()) }
        return line
    }

    public mutating func rest() -> [UInt8] {
        defer { offset = bytes.count }
        return Array(bytes[offset...])
    }
}

/// Splits the bytes into pieces of lengths that depend on `seed`, so that the same input is always split in the same way.
public func pieces(of bytes: [UInt8], seed: UInt8) -> [[UInt8]] {
    var state = UInt32(seed) &* 2_654_435_761 | 1
    var pieces: [[UInt8]] = []
    var offset = 0
    while offset < bytes.count {
        state = state &* 1_664_525 &+ 1_013_904_223
        let count = min(1 + Int(state >> 24) % (seed < 64 ? 2 : 40), bytes.count - offset)
        pieces.append(Array(bytes[offset..<(offset + count)]))
        offset += count
    }
    return pieces
}
