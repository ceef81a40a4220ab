/// Computes CRC_32 of ISO/IEC 13818-1, annex A, bit by bit; intended for small and rare inputs.
///
/// The result is 0 for bytes that end with their own checksum.
public func cyclicRedundancyCheck(_ bytes: [UInt8]) -> UInt32 {
    var register: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        register ^= UInt32(byte) << 24
        for _ in 0..<8 {
            register = register << 1 ^ (register & 0x8000_0000 == 0 ? 0 : 0x04C1_1DB7)
        }
    }
    return register
}
