import Media
import Wire

/// The messages of one access unit, made once for all receivers. Immutable.
///
/// A message is sent behind a header of its own for each receiver (``MediaFraming``), which has the receiver's time (``PlayerTimeline``).
/// FFmpeg, VLC, mpv and GStreamer accept chunks of any size up to 2³¹ − 1.
public struct FLVFrame: PackagedUnit {
    public let head: FLVHead?
    public let track: TrackID
    public let kind: Codec.Kind
    public let presentationTime: MediaTime
    public let isKeyframe: Bool
    /// One message, or one for each block of audio.
    public let messages: [FLVMessage]
    public let byteCount: Int

    public var part: AccessUnit.Part { .whole }

    init(_ unit: AccessUnit, kind: Codec.Kind, head: FLVHead, _ messages: [FLVMessage]) {
        self.head = head
        self.kind = kind
        (track, presentationTime, isKeyframe) = (unit.track, unit.presentationTime, unit.isKeyframe)
        self.messages = messages
        byteCount = messages.reduce(0) { $0 + $1.payload.count }
    }
}

/// One message of media, without stream and time of a player.
public struct FLVMessage: Hashable, Sendable {
    public let type: MessageType
    /// The decode time in milliseconds since the stream's epoch.
    public let milliseconds: Int64
    public let payload: [UInt8]

    init(_ type: MessageType, milliseconds: Int64, payload: [UInt8]) {
        self.type = type
        self.milliseconds = milliseconds
        self.payload = payload
    }

    var chunkStream: ChunkStreamID { type == .video ? .video : .audio }

    /// The header before its first chunk.
    public func header(streamID: UInt32, at timestamp: UInt32) -> MessageHeader {
        MessageHeader(
            on: chunkStream, timestamp: timestamp, payloadByteCount: payload.count, type,
            streamID: streamID)
    }

    func message(streamID: UInt32, at timestamp: UInt32) -> Message {
        Message(type, streamID: streamID, timestamp: timestamp, payload: payload)
    }
}

/// The times of one player, which begin near 0: so headers need no extended timestamp during the first 4.66 hours, and players that show
/// the time show that of their own session.
public struct PlayerTimeline: Hashable, Sendable {
    private var start: Int64?
    /// The timestamp of the last message, which those of a head have, too.
    public private(set) var last: UInt32 = 0

    public init() {}

    /// The timestamp of a message. The first is 0, and so is one of the other track that is a little earlier.
    public mutating func timestamp(of message: FLVMessage) -> UInt32 {
        let start = start ?? message.milliseconds
        self.start = start
        last = UInt32(truncatingIfNeeded: max(0, message.milliseconds - start))
        return last
    }
}
