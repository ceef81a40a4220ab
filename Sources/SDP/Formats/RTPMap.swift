/// The encoding of a payload type, by an `a=rtpmap:` line (RFC 8866, section 6.6) or a static assignment.
public struct RTPMap: Hashable, Sendable {
    public let payloadType: UInt8
    /// The encoding name as written, such as `H264` or `MPEG4-GENERIC`.
    public let encodingName: String
    /// Ticks per second of the RTP timestamp.
    public let clockRate: UInt32
    /// The number of audio channels; `nil` if the line omits it, which means one.
    public let channelCount: Int?

    public init(payloadType: UInt8, encodingName: String, clockRate: UInt32, channelCount: Int? = nil) {
        self.payloadType = payloadType
        self.encodingName = encodingName
        self.clockRate = clockRate
        self.channelCount = channelCount
    }

    /// Parses `<payload type> <encoding name>/<clock rate>[/<channels>]`; `nil` if malformed.
    public init?(_ value: String) {
        guard let (type, rest) = Substring(value).firstFieldAndRest, let type = UInt64(decimal: String(type)),
            type < 128
        else { return nil }
        let parts = rest.pieces(separatedBy: "/").map { String($0.trimmed) }
        guard parts.count >= 2, !parts[0].isEmpty, let rate = UInt64(decimal: parts[1]),
            let rate = UInt32(exactly: rate)
        else { return nil }
        let channels = parts.count > 2 ? UInt64(decimal: parts[2]).flatMap(UInt8.init(exactly:)) : nil
        self.init(
            payloadType: UInt8(type), encodingName: parts[0], clockRate: rate, channelCount: channels.map(Int.init))
    }

    /// The text after `rtpmap:`.
    public var value: String {
        "\(payloadType) \(encodingName)/\(clockRate)" + (channelCount.map { "/\($0)" } ?? "")
    }

    /// The assignments of RFC 3551, tables 4 and 5, that cameras use without an `a=rtpmap:` line.
    static func assigned(to payloadType: UInt8) -> RTPMap? {
        let (name, rate): (String, UInt32)
        var channelCount: Int?
        switch payloadType {
        case 0: (name, rate) = ("PCMU", 8_000)
        case 3: (name, rate) = ("GSM", 8_000)
        case 4: (name, rate) = ("G723", 8_000)
        case 8: (name, rate) = ("PCMA", 8_000)
        case 9: (name, rate) = ("G722", 8_000)
        case 10: (name, rate, channelCount) = ("L16", 44_100, 2)
        case 11: (name, rate) = ("L16", 44_100)
        case 14: (name, rate) = ("MPA", 90_000)
        case 26: (name, rate) = ("JPEG", 90_000)
        case 32: (name, rate) = ("MPV", 90_000)
        case 33: (name, rate) = ("MP2T", 90_000)
        default: return nil
        }
        return RTPMap(payloadType: payloadType, encodingName: name, clockRate: rate, channelCount: channelCount)
    }
}

extension MediaDescription {
    /// The encoding of the preferred payload type; `nil` if unknown.
    public var rtpMap: RTPMap? {
        guard let first = formats.first, let type = UInt64(decimal: first), type < 128 else { return nil }
        let described = attributes.values(of: "rtpmap").lazy.compactMap { RTPMap($0) }
            .first { $0.payloadType == UInt8(type) }
        return described ?? .assigned(to: UInt8(type))
    }

    /// The format parameters of the preferred payload type; empty if there are none.
    public var formatParameters: FormatParameters {
        for value in attributes.values(of: "fmtp") {
            guard let (type, parameters) = Substring(value).firstFieldAndRest, String(type) == formats.first else {
                continue
            }
            return FormatParameters(parameters)
        }
        return FormatParameters([])
    }
}
