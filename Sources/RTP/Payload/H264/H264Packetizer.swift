import Media
import Wire

/// Converts H.264 to RTP payloads, packetization-mode 1 (RFC 6184).
///
/// Parameter sets and the SEI around them share a STAP-A. A NAL unit that fits is one packet; a longer one is split into FU-A
/// fragments of equal length. All NAL units keep their order, so a client receives the source's NAL units. Only access unit
/// delimiters are left out, because each would be a packet of its own length and so a further message per viewer and unit.
struct H264Packetizer: Packetizer {
    let maximumPayloadBytes: Int

    func packetize(_ unit: AccessUnit) -> PacketRun? {
        let carriable = unit.units.filter {
            let header = NALUnitOctet(unit.bytes[$0.lowerBound])
            return header.isCarriable && !header.isDelimiter
        }
        guard !carriable.isEmpty else { return nil }
        return PacketRun(of: unit, capacity: capacity(for: carriable)) { writer in
            for group in groups(of: carriable, in: unit.bytes) {
                write(group, of: unit.bytes, to: &writer)
            }
        }
    }

    /// The bytes of all NAL units, two more per fragment, and for each NAL unit a length field and a STAP-A header.
    private func capacity(for units: [Range<Int>]) -> Int {
        units.reduce(0) { $0 + $1.count + 2 * ($1.count / maximumFragmentBytes + 1) + 3 }
    }

    /// The maximum number of bytes in a fragment, behind FU indicator and FU header.
    private var maximumFragmentBytes: Int { maximumPayloadBytes - 2 }

    // MARK: - Aggregation

    private func groups(of units: [Range<Int>], in bytes: [UInt8]) -> [ArraySlice<Range<Int>>] {
        var groups: [ArraySlice<Range<Int>>] = []
        var rest = units[...]
        while !rest.isEmpty {
            let group = rest.prefix(aggregateLength(at: rest, in: bytes))
            groups.append(group)
            rest = rest.dropFirst(group.count)
        }
        return groups
    }

    /// The number of NAL units, from the first on, that share one packet. It exceeds one only around parameter sets.
    private func aggregateLength(at units: ArraySlice<Range<Int>>, in bytes: [UInt8]) -> Int {
        var byteCount = 1
        var length = 0
        var holdsParameterSet = false
        for unit in units {
            let header = NALUnitOctet(bytes[unit.lowerBound])
            byteCount += 2 + unit.count
            guard header.isParameterSet || header.isSupplementalInformation, byteCount <= maximumPayloadBytes
            else { break }
            length += 1
            holdsParameterSet = holdsParameterSet || header.isParameterSet
        }
        return holdsParameterSet ? length : 1
    }

    // MARK: - Packets

    private func write(_ group: ArraySlice<Range<Int>>, of bytes: [UInt8], to writer: inout PacketRun.Writer) {
        guard let only = group.first else { return }
        if group.count > 1 {
            writeAggregate(group, of: bytes, to: &writer)
        } else if only.count <= maximumPayloadBytes {
            writer.append(bytes.rawSpan.extracting(only))
            writer.endPacket()
        } else {
            writeFragments(of: only, of: bytes, to: &writer)
        }
    }

    /// STAP-A (RFC 6184, section 5.7.1): a header, then each NAL unit behind its length.
    private func writeAggregate(
        _ group: ArraySlice<Range<Int>>, of bytes: [UInt8], to writer: inout PacketRun.Writer
    ) {
        let header = group.reduce(NALUnitOctet(NALUnitOctet.aggregate)) {
            $0.aggregated(with: NALUnitOctet(bytes[$1.lowerBound]))
        }
        writer.append(header.octet)
        for unit in group {
            writer.append(UInt16(unit.count))
            writer.append(bytes.rawSpan.extracting(unit))
        }
        writer.endPacket()
    }

    /// FU-A (RFC 6184, section 5.8): indicator and FU header replace the NAL unit header.
    private func writeFragments(of unit: Range<Int>, of bytes: [UInt8], to writer: inout PacketRun.Writer) {
        let header = NALUnitOctet(bytes[unit.lowerBound])
        let indicator = NALUnitOctet(type: NALUnitOctet.fragment, like: header)
        let body = (unit.lowerBound + 1)..<unit.upperBound
        // The unit is longer than a payload, so it has at least two fragments: none is both first and last.
        for fragment in EqualFragments(of: body, maximum: maximumFragmentBytes) {
            let start: UInt8 = fragment.lowerBound == body.lowerBound ? 0x80 : 0
            let end: UInt8 = fragment.upperBound == body.upperBound ? 0x40 : 0
            writer.append(indicator.octet)
            writer.append(start | end | header.type)
            writer.append(bytes.rawSpan.extracting(fragment))
            writer.endPacket()
        }
    }
}
