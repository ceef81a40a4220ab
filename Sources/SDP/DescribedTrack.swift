import Media
import Wire

/// An RTP stream as a session description, such as a camera's, describes it.
public struct DescribedTrack: Hashable, Sendable {
    public let payloadType: UInt8
    /// The encoding name as written, such as `H264`, `MPEG4-GENERIC` or `PCMA`.
    public let encodingName: String
    public let clockRate: ClockRate
    public let payload: Payload
    /// The URL of the track for SETUP, absolute or relative to the base URL.
    public let control: String?

    public enum Payload: Hashable, Sendable {
        /// RFC 6184, modes 0 and 1; `nil` if the parameter sets are only in the stream.
        case h264(H264.ParameterSets?)
        /// RFC 3640, AAC-hbr.
        case aac(AAC.AudioSpecificConfig)
        /// A payload format, or a mode, that Apus does not support.
        case unknown
    }

    /// The track that a stream announces; `nil` for an unknown payload, and for H.264 until parameter sets are known.
    public func track(id: TrackID) -> Track? {
        switch payload {
        case .h264(let sets): sets.map { Track(id: id, clockRate: clockRate, format: .h264($0)) }
        case .aac(let config): Track(id: id, clockRate: clockRate, format: .aac(config))
        case .unknown: nil
        }
    }
}

extension MediaDescription {
    /// The described RTP stream; `nil` if the payload type or its clock rate is unknown.
    public var describedTrack: DescribedTrack? {
        guard let map = rtpMap, let hertz = Int32(exactly: map.clockRate), let clockRate = ClockRate(hertz: hertz)
        else {
            return nil
        }
        let payload: DescribedTrack.Payload
        if map.encodingName.equalsIgnoringCase("H264") {
            payload = .init(h264: formatParameters)
        } else if map.encodingName.equalsIgnoringCase("MPEG4-GENERIC") {
            payload = .init(aac: formatParameters)
        } else {
            payload = .unknown
        }
        return DescribedTrack(
            payloadType: map.payloadType, encodingName: map.encodingName, clockRate: clockRate, payload: payload,
            control: control)
    }
}

extension DescribedTrack.Payload {
    fileprivate init(h264 parameters: FormatParameters) {
        // Mode 2 interleaves NAL units (RFC 6184, section 5.4); no known device sends it.
        guard (parameters.number("packetization-mode") ?? 0) < 2 else {
            self = .unknown
            return
        }
        let units = Substring(parameters["sprop-parameter-sets"] ?? "").pieces(separatedBy: ",")
            .compactMap { Base64.decode($0.trimmed) }.map(\.withoutStartCodes)
        self = .h264(
            H264.ParameterSets(
                sequence: units.filter { $0.count >= 4 && $0[0] & 0x1F == 7 },
                picture: units.filter { $0.count >= 2 && $0[0] & 0x1F == 8 }))
    }

    fileprivate init(aac parameters: FormatParameters) {
        // A missing layout of the AU header means the usual one (Anpviz).
        let layout = ["sizelength", "indexlength", "indexdeltalength"].map(parameters.number)
        guard layout == [13, 3, 3] || layout == [nil, nil, nil],
            let config = parameters["config"].flatMap({ Hexadecimal.decode(Substring($0)) })
                .flatMap(AAC.AudioSpecificConfig.init(parsing:))
        else {
            self = .unknown
            return
        }
        self = .aac(config)
    }
}

extension [UInt8] {
    /// The NAL unit without start codes and trailing zeros, which some firmware includes.
    fileprivate var withoutStartCodes: [UInt8] {
        var unit = self[...]
        if unit.starts(with: [0, 0, 0, 1]) { unit = unit.dropFirst(4) }
        if unit.suffix(4).elementsEqual([0, 0, 0, 1]) { unit = unit.dropLast(4) }
        // A NAL unit never ends with a zero byte (ITU-T H.264, 7.4.1).
        while unit.last == 0 { unit.removeLast() }
        return [UInt8](unit)
    }
}
