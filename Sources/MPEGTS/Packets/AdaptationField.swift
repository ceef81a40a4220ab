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
    /// Whether the counter of the PID, and on the PCR PID the clock, may not continue the previous ones.
    var isDiscontinuity = false
    /// Only the 33 bits of the field are known if it was received.
    var reference: ProgramTime?

    init(isKeyframe: Bool = false, reference: ClockReference? = nil) {
        self.isKeyframe = isKeyframe
        isDiscontinuity = reference?.isDiscontinuity == true
        self.reference = reference?.time
    }

    /// Bytes that the field needs, including its length; 0 if it is not needed.
    var byteCount: Int {
        if reference != nil { return 8 }
        return isKeyframe || isDiscontinuity ? 2 : 0
    }

    /// Writes the field, stuffed to `byteCount` bytes, which must be at least the number it needs.
    @_lifetime(output: copy output)
    func write(stuffedTo byteCount: Int, to output: inout OutputRawSpan) {
        guard byteCount > 0 else { return }
        // At most 184, because a packet has 184 bytes behind its header.
        output.append(UInt8(byteCount - 1))
        guard byteCount > 1 else { return }
        let discontinuity: UInt8 = isDiscontinuity ? 0x80 : 0
        output.append(discontinuity | (isKeyframe ? 0x40 : 0) | (reference == nil ? 0 : 0x10))
        if let base = reference?.field {
            // The base, six reserved bits, and an extension in 27 MHz, which is 0 because all times are whole ticks of 90 kHz.
            for shift: UInt64 in [25, 17, 9, 1] { output.append(UInt8(truncatingIfNeeded: base >> shift)) }
            output.append(UInt8(truncatingIfNeeded: base << 7) | 0x7E)
            output.append(0)
        }
        output.append(repeating: 0xFF, count: byteCount - max(2, self.byteCount))
    }
}

extension AdaptationField {
    /// Reads a field behind its length, and counts its stuffing; `nil` if it is too short for what it says it contains.
    init?(parsing field: RawSpan, stuffing: inout Int) {
        self.init()
        var reader = ByteReader(field)
        stuffing = 0
        guard let flags = reader.uint8() else {
            // An empty field is a byte of stuffing: its length.
            stuffing = 1
            return
        }
        isDiscontinuity = flags & 0x80 != 0
        isKeyframe = flags & 0x40 != 0
        if flags & 0x10 != 0 {
            guard let high = reader.uint32(), let low = reader.uint16() else { return nil }
            reference = ProgramTime(ticks: Int64(high) << 1 | Int64(low >> 15))
        }
        // The original reference and the splice countdown.
        guard reader.skip(flags & 0x08 != 0 ? 6 : 0), reader.skip(flags & 0x04 != 0 ? 1 : 0) else { return nil }
        // Private data, and the extension: each with its length.
        for mask: UInt8 in [0x02, 0x01] where flags & mask != 0 {
            guard let count = reader.uint8(), reader.skip(Int(count)) else { return nil }
        }
        // A field of two bytes that says nothing is stuffing, too: a packet that lacks two bytes can be filled in no other way.
        stuffing = reader.remaining + (flags == 0 ? 1 : 0)
    }
}
