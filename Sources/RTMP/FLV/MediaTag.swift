import Media
import Wire

/// One track's part of an audio or video message: the content of an FLV tag (Adobe Flash Video File Format, section E.4; Enhanced RTMP v2,
/// ExVideoTagHeader and ExAudioTagHeader).
struct MediaTag: Hashable, Sendable {
    /// The track that the sender names; 0 without multitrack.
    let number: UInt8
    let codec: TagCodec
    let content: Content

    /// Ranges are in the payload of the message.
    enum Content: Hashable, Sendable {
        /// The decoder configuration.
        case configuration(Range<Int>)
        /// A frame.
        ///
        /// - Parameter compositionMilliseconds: from the decode time to the presentation time; signed.
        case frame(compositionMilliseconds: Int32, Range<Int>)
        /// What is not needed: the end of a sequence, colour metadata, channel layouts, commands.
        case other
    }

    /// The tags of a message; `nil` if it is malformed. An empty message, which some encoders send, has none.
    static func tags(in message: Message) -> [MediaTag]? {
        guard let first = message.payload.first else { return [] }
        var reader = ByteReader(message.payload.rawSpan.extracting(1..<message.payload.count))
        if message.type == .video {
            if first & 0x80 != 0 { return EnhancedTags.read(&reader, .video, first) }
            return legacyVideo(first, &reader).map { [$0] }
        }
        if first >> 4 == 9 { return EnhancedTags.read(&reader, .audio, first) }
        return legacyAudio(first, &reader).map { [$0] }
    }

    /// ```
    /// | FrameType, 4 bits; CodecID, 4 | H.264: packet type, 8 | composition time, 24, signed | data |
    /// ```
    private static func legacyVideo(_ first: UInt8, _ reader: inout ByteReader) -> MediaTag? {
        let codec = TagCodec(videoCodecID: first & 0xF)
        // Frame type 5 is a command to the player, such as to seek.
        guard first >> 4 != 5, codec == .h264 || codec == .h265 else {
            return MediaTag(number: 0, codec: codec, content: .other)
        }
        guard let type = reader.uint8(), let time = reader.uint24() else { return nil }
        return MediaTag(number: 0, codec: codec, content: content(type, compositionTime: time, &reader))
    }

    /// ```
    /// | SoundFormat, 4 bits; rate, 2; bits per sample, 1; SoundType, 1 | AAC: packet type, 8 | data |
    /// ```
    private static func legacyAudio(_ first: UInt8, _ reader: inout ByteReader) -> MediaTag? {
        let codec = TagCodec(soundFormat: first >> 4)
        guard codec == .aac else { return MediaTag(number: 0, codec: codec, content: .other) }
        guard let type = reader.uint8() else { return nil }
        return MediaTag(number: 0, codec: codec, content: content(type, compositionTime: 0, &reader))
    }

    private static func content(_ type: UInt8, compositionTime: UInt32, _ reader: inout ByteReader) -> Content {
        let data = (1 + reader.offset)..<(1 + reader.offset + reader.remaining)
        return switch type {
        case 0: .configuration(data)
        case 1: .frame(compositionMilliseconds: signed(compositionTime), data)
        default: .other
        }
    }

    /// A signed number of 24 bits.
    static func signed(_ value: UInt32) -> Int32 {
        Int32(bitPattern: value << 8) >> 8
    }
}
