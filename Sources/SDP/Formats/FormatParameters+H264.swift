import Media
import Wire

/// H.264 (RFC 6184, section 8.1).
extension FormatParameters {
    /// Maximum base 64 characters of parameter sets in the description. Longer sets are omitted, because live555 accepts replies
    /// of up to 20 000 bytes, and the sets are also in band.
    static let parameterSetLimit = 8_000

    init(_ sets: H264.ParameterSets) {
        let profile = sets.profileLevelID
        let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: profile >> UInt32($0)) }
        let units = (sets.sequence + sets.picture).map(Base64.encode).joined(separator: ",")
        var parameters = [("packetization-mode", "1"), ("profile-level-id", Hexadecimal.encode(bytes))]
        if units.utf8.count <= Self.parameterSetLimit { parameters.append(("sprop-parameter-sets", units)) }
        self.init(parameters.map { (name: $0, value: $1) })
    }

    /// Modes 0 and 1, with the parameter sets if the description contains them.
    var h264: DescribedTrack.Payload {
        // Mode 2 interleaves NAL units (RFC 6184, section 5.4); no known device sends it.
        guard (number("packetization-mode") ?? 0) < 2 else { return .unknown }
        let units = Substring(self["sprop-parameter-sets"] ?? "").pieces(separatedBy: ",")
            .compactMap { Base64.decode($0.trimmed) }.map(\.withoutStartCodes)
        let sets = H264.ParameterSets(
            sequence: units.filter { $0.count >= 4 && H264.NALUnitHeader(of: $0)?.type == .sequenceParameterSet },
            picture: units.filter { $0.count >= 2 && H264.NALUnitHeader(of: $0)?.type == .pictureParameterSet })
        return sets.map { .described(.h264($0)) } ?? .inBand(.h264)
    }
}

extension [UInt8] {
    /// The NAL unit without start codes and trailing zeros, which some firmware includes.
    var withoutStartCodes: [UInt8] {
        var unit = self[...]
        if unit.starts(with: [0, 0, 0, 1]) { unit = unit.dropFirst(4) }
        if unit.suffix(4).elementsEqual([0, 0, 0, 1]) { unit = unit.dropLast(4) }
        // A NAL unit never ends with a zero byte (ITU-T H.264, 7.4.1; ITU-T H.265, 7.4.2).
        while unit.last == 0 { unit.removeLast() }
        return [UInt8](unit)
    }
}
