import Media
import SDP

/// A payload type that an offer contains, with what belongs to it.
public struct OfferedFormat: Hashable, Sendable {
    public let map: RTPMap
    public let parameters: FormatParameters
    /// The feedback that the peer knows for it: `nack`, `nack pli`, `transport-cc` …
    public let feedback: Set<String>
    /// The payload type of its retransmissions (RFC 4588).
    public let retransmission: UInt8?

    public var payloadType: UInt8 { map.payloadType }

    /// Whether the encoding has this name in lower case.
    func isNamed(_ name: String) -> Bool { map.encodingName.lowercased() == name }

    /// A hexadecimal parameter.
    private func hexadecimal(_ name: String) -> UInt32? { parameters[name].flatMap { UInt32($0, radix: 16) } }

    func number(_ name: String) -> Int? { parameters[name].flatMap { Int($0) } }

    /// The profile of H.264; without the parameter it is Baseline (RFC 6184, section 8.1).
    var h264Profile: H264Profile? { H264Profile(profileLevelID: hexadecimal("profile-level-id") ?? 0x42000A) }

    /// Whether packets may contain parts of NAL units (RFC 6184, section 6.3).
    var allowsFragments: Bool { number("packetization-mode") == 1 }
}

extension OfferedFormat {
    /// The formats of a media description in the order of preference, without retransmissions.
    ///
    /// Each attribute is read once, because an offer may have hundreds of them.
    static func all(of media: MediaDescription) -> [OfferedFormat] {
        var maps: [UInt8: RTPMap] = [:]
        for value in media.attributes.values(of: "rtpmap") {
            if let map = RTPMap(value), maps[map.payloadType] == nil { maps[map.payloadType] = map }
        }
        let parameters = byPayloadType(media, "fmtp")
        let feedback = byPayloadType(media, "rtcp-fb")
        let general = media.attributes.values(of: "rtcp-fb").compactMap { value in
            value.firstFieldAndRest.flatMap { $0.first == "*" ? $0.rest : nil }
        }
        .prefix(generalFeedbackLimit)
        var retransmissions: [UInt8: UInt8] = [:]
        for map in maps.values.sorted(by: { $0.payloadType < $1.payloadType })
        where map.encodingName.lowercased() == "rtx" {
            let text = parameters[map.payloadType]?.first ?? ""
            guard let original = FormatParameters(Substring(text))["apt"].flatMap({ UInt8($0) }) else { continue }
            if retransmissions[original] == nil { retransmissions[original] = map.payloadType }
        }
        var seen: Set<UInt8> = []
        return media.formats.compactMap { format in
            guard let type = UInt8(format), let map = maps[type], map.encodingName.lowercased() != "rtx",
                seen.insert(type).inserted
            else { return nil }
            return OfferedFormat(
                map: map, parameters: FormatParameters(Substring(parameters[type]?.first ?? "")),
                feedback: Set((feedback[type] ?? []) + general), retransmission: retransmissions[type])
        }
    }

    /// The kinds of feedback for all formats that are read: there are six. Each format has a copy of them.
    private static let generalFeedbackLimit = 16

    /// The values of an attribute that begins with a payload type, without it.
    private static func byPayloadType(_ media: MediaDescription, _ name: String) -> [UInt8: [String]] {
        var values: [UInt8: [String]] = [:]
        for value in media.attributes.values(of: name) {
            guard let (type, rest) = value.firstFieldAndRest, let type = UInt8(type) else { continue }
            values[type, default: []].append(rest)
        }
        return values
    }
}
