import Media
import Wire

/// One track's part of an audio or video message: the content of an FLV tag (Adobe Flash Video File Format, section E.4; Enhanced RTMP v2,
/// ExVideoTagHeader and ExAudioTagHeader).
struct MediaTag: Hashable, Sendable {
    /// The track that the sender names; the main one without multitrack.
    let number: TrackNumber
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

    /// The tags of a message, and how many are malformed: these do not disturb those of other tracks. An empty message, which some
    /// encoders send, has no tags.
    static func tags(in message: Message) -> (tags: [MediaTag], malformedCount: Int) {
        guard let first = message.payload.first else { return ([], 0) }
        var reader = ByteReader(message.payload.rawSpan.extracting(1..<message.payload.count))
        let kind: Codec.Kind = message.type == .video ? .video : .audio
        if kind == .video ? first & 0x80 != 0 : first >> 4 == 9 { return EnhancedTags.read(&reader, kind, first) }
        let tag = kind == .video ? legacyVideo(first, &reader) : legacyAudio(first, &reader)
        return tag.map { ([$0], 0) } ?? ([], 1)
    }

    /// ```
    /// | FrameType, 4 bits; CodecID, 4 | H.264: packet type, 8 | composition time, 24, signed | data |
    /// ```
    private static func legacyVideo(_ first: UInt8, _ reader: inout ByteReader) -> MediaTag? {
        let codec = TagCodec(videoCodecID: first & 0xF)
        // Frame type 5 is a command to the player, such as to seek.
        guard first >> 4 != 5, codec == .h264 || codec == .h265 else {
            return MediaTag(number: .main, codec: codec, content: .other)
        }
        guard let type = reader.uint8(), let time = reader.uint24() else { return nil }
        return MediaTag(number: .main, codec: codec, content: content(type, compositionTime: time, &reader))
    }

    /// ```
    /// | SoundFormat, 4 bits; rate, 2; bits per sample, 1; SoundType, 1 | AAC: packet type, 8 | data |
    /// ```
    private static func legacyAudio(_ first: UInt8, _ reader: inout ByteReader) -> MediaTag? {
        let codec = TagCodec(soundFormat: first >> 4)
        guard codec == .aac else { return MediaTag(number: .main, codec: codec, content: .other) }
        guard let type = reader.uint8() else { return nil }
        return MediaTag(number: .main, codec: codec, content: content(type, compositionTime: 0, &reader))
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
