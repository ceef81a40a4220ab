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

    /// No message has more tracks: their numbers have 8 bits.
    private static let maximumTrackCount = 256

    /// The tags, and how many are malformed.
    ///
    /// - Parameters:
    ///   - reader: behind the first byte.
    ///   - first: the first byte of the message.
    static func read(
        _ reader: inout ByteReader, _ kind: Codec.Kind, _ first: UInt8
    ) -> (tags: [MediaTag], malformedCount: Int) {
        var tags = EnhancedTags(kind: kind, packetType: first & 0xF)
        let isCommand = kind == .video && first >> 4 & 7 == commandFrame
        guard let contents = tags.readHeader(&reader, isCommand: isCommand) else { return ([], 1) }
        switch contents {
        case .none: return ([], 0)
        case .tracks(let code): return tags.tracks(code, &reader)
        }
    }

    private init(kind: Codec.Kind, packetType: UInt8) {
        self.kind = kind
        self.packetType = packetType
    }

    /// What stands behind the header of a message.
    private enum Contents {
        /// Nothing that is needed, such as a command.
        case none
        /// Tracks, with the codec that they share; `nil` if each names its own.
        case tracks(FourCC?)
    }

    /// `nil` if the message is malformed.
    private mutating func readHeader(_ reader: inout ByteReader, isCommand: Bool) -> Contents? {
        guard skipModifiers(&reader) else { return nil }
        if isCommand, packetType != PacketType.videoMetadata { return Contents.none }
        if packetType == (kind == .video ? PacketType.videoMultitrack : PacketType.audioMultitrack) {
            guard let byte = reader.uint8(), let multitrack = Multitrack(rawValue: byte >> 4) else { return nil }
            self.multitrack = multitrack
            packetType = byte & 0xF
        }
        guard multitrack != .manyTracksManyCodecs else { return .tracks(nil) }
        return reader.uint32().map { .tracks(FourCC(rawValue: $0)) }
    }

    /// The tags of the tracks. A track with a wrong size ends the list, because its size would tell where the next track begins.
    private func tracks(_ shared: FourCC?, _ reader: inout ByteReader) -> (tags: [MediaTag], malformedCount: Int) {
        var tags: [MediaTag] = []
        var malformedCount = 0
        repeat {
            switch tags.count + malformedCount < Self.maximumTrackCount ? track(shared, &reader) : .endless {
            case .tag(let tag): tags.append(tag)
            case .malformed: malformedCount += 1
            case .endless: return (tags, malformedCount + 1)
            }
        } while multitrack != nil && multitrack != .oneTrack && reader.remaining > 0
        return (tags, malformedCount)
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

    /// One track of a message.
    private enum TrackPart {
        case tag(MediaTag)
        /// Its content is too short. Another track may follow.
        case malformed
        /// Its end is unknown.
        case endless
    }

    private func track(_ shared: FourCC?, _ reader: inout ByteReader) -> TrackPart {
        var code = shared
        if code == nil { code = reader.uint32().map { FourCC(rawValue: $0) } }
        guard let code else { return .endless }
        var number = TrackNumber.main
        var byteCount = reader.remaining
        if let multitrack {
            guard let id = reader.uint8() else { return .endless }
            number = TrackNumber(id)
            byteCount = reader.remaining
            if multitrack != .oneTrack {
                guard let length = reader.uint24() else { return .endless }
                byteCount = Int(length)
            }
        }
        guard byteCount <= reader.remaining else { return .endless }
        let codec = TagCodec(code, kind)
        let end = 1 + reader.offset + byteCount
        let content = content(codec, end: end, &reader)
        guard reader.skip(end - 1 - reader.offset) else { return .endless }
        return content.map { .tag(MediaTag(number: number, codec: codec, content: $0)) } ?? .malformed
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
