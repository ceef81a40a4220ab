import Media
import Wire

/// Converts NAL units to RTP payloads: H.264 (RFC 6184, packetization-mode 1) and H.265 (RFC 7798).
///
/// Parameter sets and the SEI around them share an aggregate. A NAL unit that fits is one packet; a longer one is split into
/// fragments of equal length. All NAL units keep their order, so a client receives the source's NAL units. Only access unit
/// delimiters are left out, because each would be a packet of its own length and so a further message per viewer and unit.
struct NALUnitPacketizer<UnitHeader: NALUnitPayloadHeader>: Sendable {
    let maximumPayloadBytes: Int

    func packetize(_ unit: AccessUnit) -> PacketRun? {
        let carriable = unit.units.filter {
            guard let header = UnitHeader(of: $0, in: unit.bytes) else { return false }
            return header.isCarriable && !header.isDelimiter
        }
        guard !carriable.isEmpty else { return nil }
        let isDisposable = carriable.allSatisfy { UnitHeader(of: $0, in: unit.bytes)?.isDisposable == true }
        return PacketRun(of: unit, capacity: capacity(for: carriable), isDisposable: isDisposable) { writer in
            for group in groups(of: carriable, in: unit.bytes) {
                write(group, of: unit.bytes, to: &writer)
            }
        }
    }

    /// The bytes of all NAL units, the headers of fragments, and for each NAL unit a length field and the header of an aggregate.
    private func capacity(for units: [Range<Int>]) -> Int {
        units.reduce(0) {
            let fragmentCount = $1.count / maximumFragmentBytes + 1
            return $0 + $1.count + (UnitHeader.byteCount + 1) * fragmentCount + 2 + UnitHeader.byteCount
        }
    }

    /// The maximum number of bytes in a fragment, behind its two headers.
    private var maximumFragmentBytes: Int { maximumPayloadBytes - UnitHeader.byteCount - 1 }

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
        var byteCount = UnitHeader.byteCount
        var length = 0
        var holdsParameterSet = false
        for unit in units {
            byteCount += 2 + unit.count
            guard let header = UnitHeader(of: unit, in: bytes), byteCount <= maximumPayloadBytes,
                header.isParameterSet || header.isSupplementalInformation
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

    /// STAP-A (RFC 6184, section 5.7.1) or AP (RFC 7798, section 4.4.2): a header, then each NAL unit behind its length.
    private func writeAggregate(
        _ group: ArraySlice<Range<Int>>, of bytes: [UInt8], to writer: inout PacketRun.Writer
    ) {
        let headers = group.compactMap { UnitHeader(of: $0, in: bytes)?.replacing(type: UnitHeader.aggregate) }
        guard let first = headers.first else { return }
        writer.append(headers.dropFirst().reduce(first) { $0.aggregated(with: $1) })
        for unit in group {
            writer.append(UInt16(unit.count))
            writer.append(bytes.rawSpan.extracting(unit))
        }
        writer.endPacket()
    }

    /// FU-A (RFC 6184, section 5.8) or FU (RFC 7798, section 4.4.3): payload header and FU header replace the NAL unit header.
    private func writeFragments(of unit: Range<Int>, of bytes: [UInt8], to writer: inout PacketRun.Writer) {
        guard let header = UnitHeader(of: unit, in: bytes) else { return }
        let indicator = header.replacing(type: UnitHeader.fragment)
        let body = (unit.lowerBound + UnitHeader.byteCount)..<unit.upperBound
        // The unit is longer than a payload, so it has at least two fragments: none is both first and last.
        for fragment in EqualFragments(of: body, maximum: maximumFragmentBytes) {
            let start: UInt8 = fragment.lowerBound == body.lowerBound ? 0x80 : 0
            let end: UInt8 = fragment.upperBound == body.upperBound ? 0x40 : 0
            writer.append(indicator)
            writer.append(start | end | header.type)
            writer.append(bytes.rawSpan.extracting(fragment))
            writer.endPacket()
        }
    }
}
