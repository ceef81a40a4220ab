import Wire

/// What a transport packet says besides its payload, and the stuffing that fills it (ISO/IEC 13818-1, 2.4.3.4).
///
/// ```
/// +--------+---------------------+---------------------------------+---------------+
/// | length | discontinuity,      | program clock reference, if any:| stuffing 0xFF |
/// | 8 bits | random access, PCR… | 33 + 6 + 9 bits                 |               |
/// +--------+---------------------+---------------------------------+---------------+
/// ```
struct AdaptationField: Hashable, Sendable {
    /// Whether decoding can start with the payload. On the PID of the clock only together with a reference (2.4.3.5).
    var isKeyframe = false
    var reference: ClockReference?

    /// Bytes that the field needs, with its length; 0 where it says nothing and need not be there.
    var byteCount: Int {
        if reference != nil { return 8 }
        return isKeyframe ? 2 : 0
    }

    /// Writes the field, stuffed to `byteCount` bytes, which are no fewer than it needs.
    @_lifetime(output: copy output)
    func write(stuffedTo byteCount: Int, to output: inout OutputRawSpan) {
        guard byteCount > 0 else { return }
        // A packet has 184 bytes behind its header.
        output.append(UInt8(byteCount - 1))
        guard byteCount > 1 else { return }
        let discontinuity: UInt8 = reference?.isDiscontinuity == true ? 0x80 : 0
        output.append(discontinuity | (isKeyframe ? 0x40 : 0) | (reference == nil ? 0 : 0x10))
        if let base = reference?.time.field {
            // Base, six reserved ones, and an extension in 27 MHz: 0, because all times are whole ticks of 90 kHz.
            for shift: UInt64 in [25, 17, 9, 1] { output.append(UInt8(truncatingIfNeeded: base >> shift)) }
            output.append(UInt8(truncatingIfNeeded: base << 7) | 0x7E)
            output.append(0)
        }
        output.append(repeating: 0xFF, count: byteCount - max(2, self.byteCount))
    }
}
