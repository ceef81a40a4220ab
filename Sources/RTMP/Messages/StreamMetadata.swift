/// What a publisher says of its stream in `onMetaData` (Adobe Flash Video File Format, section E.5).
public struct StreamMetadata: Hashable, Sendable {
    /// A title for people; `nil` if there is none.
    public let title: String?
    public let description: String?
    /// The name of the encoder, such as `Lavf59.27.100`.
    public let encoder: String?
    /// Whether a codec of video, or of audio, is announced.
    public let hasVideo: Bool
    public let hasAudio: Bool

    /// `nil` if the message is other data. `@setDataFrame`, by which publishers ask to keep the data, is skipped.
    public init?(_ message: Message) throws(RTMPError) {
        guard message.type == .dataAMF0 || message.type == .dataAMF3 else { return nil }
        var values = try message.values()[...]
        if values.first?.string == "@setDataFrame" { values = values.dropFirst() }
        guard values.first?.string == "onMetaData", let object = values.dropFirst().first?.object else { return nil }
        title = Self.text(object["title"])
        description = Self.text(object["description"]) ?? Self.text(object["comment"])
        encoder = Self.text(object["encoder"])
        hasVideo = Self.isCodec(object["videocodecid"]) || object["width"] != nil
        hasAudio = Self.isCodec(object["audiocodecid"])
    }

    private static func text(_ value: AMF0.Value?) -> String? {
        value?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A number, which may be a FourCC, or a name, as Flash Media Live Encoder sends it. FFmpeg sends 0 for no codec.
    private static func isCodec(_ value: AMF0.Value?) -> Bool {
        switch value {
        case .number(let number): number > 0
        case .string(let name): !name.isEmpty
        default: false
        }
    }
}
