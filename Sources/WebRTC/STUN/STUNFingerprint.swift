import Wire

/// The value of FINGERPRINT, by which STUN is recognised among other protocols: the CRC-32 of the bytes before the attribute, combined
/// with a constant (RFC 8489, section 14.7).
func fingerprint(of bytes: RawSpan) -> [UInt8] {
    var register: UInt32 = 0xFFFF_FFFF
    for offset in 0..<bytes.byteCount {
        register = register >> 8 ^ remainders[Int(UInt8(truncatingIfNeeded: register) ^ bytes.byte(at: offset))]
    }
    var writer = ByteWriter(capacity: 4)
    writer.uint32(~register ^ 0x5354_554E)
    return writer.bytes
}

/// For each byte, its remainder by the polynomial of ITU-T V.42, least significant bit first.
private let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { register, _ in register >> 1 ^ (register & 1 == 0 ? 0 : 0xEDB8_8320) }
}
