import Wire

/// The adaptation field of a transport packet, with stuffing that fills the packet (ISO/IEC 13818-1, 2.4.3.4).
///
/// ```
/// +--------+---------------------+---------------------------------+---------------+
/// | length | discontinuity,      | program clock reference, if any:| stuffing 0xFF |
/// | 8 bits | random access, PCR… | 33 + 6 + 9 bits                 |               |
/// +--------+---------------------+---------------------------------+---------------+
/// ```
struct AdaptationField: Hashable, Sendable {
    /// Whether decoding can start with the payload. On the PCR PID, allowed only together with a reference (2.4.3.5).
    var isKeyframe = false
    var reference: ClockReference?

    /// Bytes that the field needs, including its length; 0 if it is not needed.
    var byteCount: Int {
        if reference != nil { return 8 }
        return isKeyframe ? 2 : 0
    }

    /// Writes the field, stuffed to `byteCount` bytes, which must be at least the number it needs.
    @_lifetime(output: copy output)
    func write(stuffedTo byteCount: Int, to output: inout OutputRawSpan) {
        guard byteCount > 0 else { return }
        // At most 184, because a packet has 184 bytes behind its header.
        output.append(UInt8(byteCount - 1))
        guard byteCount > 1 else { return }
        let discontinuity: UInt8 = reference?.isDiscontinuity == true ? 0x80 : 0
        output.append(discontinuity | (isKeyframe ? 0x40 : 0) | (reference == nil ? 0 : 0x10))
        if let base = reference?.time.field {
            // The base, six reserved bits, and an extension in 27 MHz, which is 0 because all times are whole ticks of 90 kHz.
            for shift: UInt64 in [25, 17, 9, 1] { output.append(UInt8(truncatingIfNeeded: base >> shift)) }
            output.append(UInt8(truncatingIfNeeded: base << 7) | 0x7E)
            output.append(0)
        }
        output.append(repeating: 0xFF, count: byteCount - max(2, self.byteCount))
    }
}
