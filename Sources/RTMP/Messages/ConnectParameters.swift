/// The properties of `connect` (Adobe's RTMP specification, section 7.2.1.1; Enhanced RTMP v2, NetConnection connect command).
public struct ConnectParameters: Hashable, Sendable {
    /// The first part of the path, with a query if the client puts it there.
    public let app: String
    /// The URL of the server; empty if the client does not send it.
    public let tcURL: String
    /// The name and version of the client.
    public let flashVersion: String
    /// The codecs beyond H.264 and AAC that the client can receive.
    public let codecs: EnhancedCodecs

    public init(_ object: AMF0.Object) {
        app = object[ignoringCase: "app"]?.string ?? ""
        // Some clients put the URL between quotation marks.
        let url = object[ignoringCase: "tcUrl"]?.string ?? ""
        tcURL = url.count > 1 && url.hasPrefix("'") && url.hasSuffix("'") ? String(url.dropFirst().dropLast()) : url
        flashVersion = object[ignoringCase: "flashVer"]?.string ?? ""
        codecs = EnhancedCodecs(object)
    }
}

/// The codecs that a peer with Enhanced RTMP says it can receive, beyond those that each can: H.264 and AAC.
public struct EnhancedCodecs: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let h265 = Self(rawValue: 1)
    public static let opus = Self(rawValue: 2)

    /// Reads the codecs that the peer names: in `fourCcList` (Enhanced RTMP version 1), or in `videoFourCcInfoMap` and
    /// `audioFourCcInfoMap` (version 2). A value of these maps has the flag 1 if the peer decodes the codec, and the flag 4 if it
    /// forwards it. `*` stands for every codec.
    init(_ object: AMF0.Object) {
        var names: Set<String> = []
        if case .strictArray(let values) = object["fourCcList"] { names.formUnion(values.compactMap(\.string)) }
        // A wildcard in the map of one kind says nothing of the other.
        let video = names.union(Self.receivable(object["videoFourCcInfoMap"]))
        let audio = names.union(Self.receivable(object["audioFourCcInfoMap"]))
        self = []
        if video.contains(FourCC.hevc.text) || video.contains("*") { insert(.h265) }
        if audio.contains(FourCC.opus.text) || audio.contains("*") { insert(.opus) }
    }

    private static func receivable(_ map: AMF0.Value?) -> Set<String> {
        let properties = map?.object?.properties ?? []
        return Set(
            properties.filter { UInt32(exactly: $0.value.number ?? 0).map { $0 & 5 != 0 } ?? false }.map(\.name))
    }
}
