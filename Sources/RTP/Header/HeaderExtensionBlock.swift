/// The header extensions of a packet as bytes, the same for all packets of a run but for a number (RFC 3550, section 5.3.1; RFC 8285, 4.2).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |             0xBEDE            |  length: words after this one |
/// |  ID   | len-1 |  value …      |  ID   | len-1 |  value …      |
/// |  …            |  padding: zeros                               |
/// ```
@usableFromInline
struct HeaderExtensionBlock: Sendable, BitwiseCopyable {
    /// The bytes before the elements.
    static let headByteCount = 4

    /// The block, then zeros.
    @usableFromInline var memory: HeaderExtensionMemory
    /// A multiple of four; 0 without elements.
    @usableFromInline var byteCount: Int
    /// Where the sequence number of each packet belongs; 0 if packets do not carry it.
    @usableFromInline var numberOffset = 0

    /// A block without elements.
    @inlinable
    init() {
        memory = HeaderExtensionMemory(repeating: 0)
        byteCount = 0
    }

    /// Appends an element. Its value are the low `valueByteCount` bytes of `value`, 1…8, in network order.
    mutating func append(_ identifier: UInt8, _ value: UInt64, valueByteCount: Int) {
        if byteCount == 0 { byteCount = Self.headByteCount }
        append(identifier << 4 | UInt8(valueByteCount - 1))
        for shift in stride(from: 8 * (valueByteCount - 1), through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    private mutating func append(_ byte: UInt8) {
        memory[byteCount] = byte
        byteCount += 1
    }

    /// Pads the elements to whole words, and writes the bytes before them.
    mutating func end() {
        guard byteCount > 0 else { return }
        byteCount = (byteCount + 3) & ~3
        memory[0] = UInt8(Header.Extension.oneByteProfile >> 8)
        memory[1] = UInt8(truncatingIfNeeded: Header.Extension.oneByteProfile)
        // The length has two octets, but a block is shorter than 256 words.
        memory[3] = UInt8((byteCount - Self.headByteCount) / 4)
    }
}
