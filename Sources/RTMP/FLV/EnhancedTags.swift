import Media
import Wire

/// Reads the tags of a message of enhanced RTMP.
///
/// ```
/// video: | 1, 1 bit; FrameType, 3; packet type, 4 |    audio: | 9, 4 bits; packet type, 4 |
/// while the packet type is ModEx: | size − 1: 8, or 0xFF and 16 | data | modifier type, 4; packet type, 4 |
/// if it is Multitrack: | multitrack type, 4; packet type, 4 |
/// | FourCC, 32, unless each track has one |
/// for each track: | FourCC, 32, if each has one | track number, 8 | size, 24, unless it is the only one | data |
/// ```
struct EnhancedTags {
    private let kind: Codec.Kind
    private var packetType: UInt8
    private var multitrack: Multitrack?

    /// Values of AudioPacketType and VideoPacketType.
    private enum PacketType {
        static let sequenceStart: UInt8 = 0
        static let codedFrames: UInt8 = 1
        /// Video frames with a composition time of 0, which is left out.
        static let codedFramesX: UInt8 = 3
        static let videoMetadata: UInt8 = 4
        static let audioMultitrack: UInt8 = 5
        static let videoMultitrack: UInt8 = 6
        /// Extensions, such as nanoseconds, which are skipped.
        static let modifier: UInt8 = 7
    }

    private enum Multitrack: UInt8 {
        case oneTrack = 0
        case manyTracks = 1
        case manyTracksManyCodecs = 2
    }

    /// FrameType 5 of video: a command to the player.
    private static let commandFrame: UInt8 = 5

    /// The tags; `nil` if the message is malformed.
    ///
    /// - Parameters:
    ///   - reader: behind the first byte.
    ///   - first: the first byte of the message.
    static func read(_ reader: inout ByteReader, _ kind: Codec.Kind, _ first: UInt8) -> [MediaTag]? {
        var tags = EnhancedTags(kind: kind, packetType: first & 0xF)
        return tags.read(&reader, isCommand: kind == .video && first >> 4 & 7 == commandFrame)
    }

    private init(kind: Codec.Kind, packetType: UInt8) {
        self.kind = kind
        self.packetType = packetType
    }

    private mutating func read(_ reader: inout ByteReader, isCommand: Bool) -> [MediaTag]? {
        guard skipModifiers(&reader) else { return nil }
        if isCommand, packetType != PacketType.videoMetadata { return [] }
        if packetType == (kind == .video ? PacketType.videoMultitrack : PacketType.audioMultitrack) {
            guard let byte = reader.uint8(), let multitrack = Multitrack(rawValue: byte >> 4) else { return nil }
            self.multitrack = multitrack
            packetType = byte & 0xF
        }
        var shared: FourCC?
        if multitrack != .manyTracksManyCodecs {
            guard let code = reader.uint32() else { return nil }
            shared = FourCC(rawValue: code)
        }
        var tags: [MediaTag] = []
        repeat {
            guard let tag = track(shared, &reader) else { return nil }
            tags.append(tag)
        } while multitrack != nil && multitrack != .oneTrack && reader.remaining > 0
        return tags
    }

    private mutating func skipModifiers(_ reader: inout ByteReader) -> Bool {
        while packetType == PacketType.modifier {
            guard let short = reader.uint8() else { return false }
            var byteCount = Int(short) + 1
            if byteCount == 256 {
                guard let long = reader.uint16() else { return false }
                byteCount = Int(long) + 1
            }
            guard reader.skip(byteCount), let next = reader.uint8() else { return false }
            packetType = next & 0xF
        }
        return true
    }

    private func track(_ shared: FourCC?, _ reader: inout ByteReader) -> MediaTag? {
        var code = shared
        if code == nil { code = reader.uint32().map { FourCC(rawValue: $0) } }
        guard let code else { return nil }
        var number: UInt8 = 0
        var byteCount = reader.remaining
        if let multitrack {
            guard let id = reader.uint8() else { return nil }
            number = id
            byteCount = reader.remaining
            if multitrack != .oneTrack {
                guard let length = reader.uint24() else { return nil }
                byteCount = Int(length)
            }
        }
        let end = 1 + reader.offset + byteCount
        guard byteCount <= reader.remaining, let content = content(TagCodec(code, kind), end: end, &reader),
            reader.skip(end - 1 - reader.offset)
        else { return nil }
        return MediaTag(number: number, codec: TagCodec(code, kind), content: content)
    }

    /// The content up to the byte `end` of the message; `nil` if it is too short.
    private func content(_ codec: TagCodec, end: Int, _ reader: inout ByteReader) -> MediaTag.Content? {
        var time: Int32 = 0
        // Only H.264 and H.265 have composition times, and those of one packet type.
        if packetType == PacketType.codedFrames, codec == .h264 || codec == .h265 {
            guard end - 1 - reader.offset >= 3, let value = reader.uint24() else { return nil }
            time = MediaTag.signed(value)
        }
        let data = (1 + reader.offset)..<end
        return switch packetType {
        case PacketType.sequenceStart: .configuration(data)
        case PacketType.codedFrames: .frame(compositionMilliseconds: time, data)
        case PacketType.codedFramesX where kind == .video: .frame(compositionMilliseconds: 0, data)
        default: .other
        }
    }
}
