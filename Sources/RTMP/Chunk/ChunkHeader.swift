import Wire

/// The header of a chunk (Adobe's RTMP specification, section 5.3.1).
///
/// ```
/// | type, 2 bits | chunk stream id: 6 bits, or 0 and 8 more, or 1 and 16 more, low byte first |
/// | types 0, 1, 2: timestamp or delta, 24 | types 0, 1: length, 24; message type, 8 | type 0: message stream id, 32, low byte first |
/// | extended timestamp, 32, if the timestamp field is 0xFFFFFF |
/// ```
struct ChunkHeader {
    let chunkStream: Int
    let fields: Fields

    enum Fields {
        /// Type 0.
        case all(timestamp: UInt32, byteCount: Int, MessageType, streamID: UInt32)
        /// Type 1: the message stream of the message before.
        case sameStream(delta: UInt32, byteCount: Int, MessageType)
        /// Type 2: also the length and the type of the message before.
        case sameLength(delta: UInt32)
        /// Type 3: a message that has begun continues, or another one with the same fields begins.
        case none
    }

    /// The value of the timestamp field if the extended timestamp has the time.
    static let extendedMark: UInt32 = 0xFF_FFFF

    /// `nil` if more bytes are needed. A type 3 chunk may have an extended timestamp behind it, which only its chunk stream knows.
    @_lifetime(reader: copy reader)
    init?(reading reader: inout ByteReader) {
        guard let first = reader.uint8() else { return nil }
        switch first & 0x3F {
        case 0:
            guard let low = reader.uint8() else { return nil }
            chunkStream = 64 + Int(low)
        case 1:
            guard let low = reader.uint8(), let high = reader.uint8() else { return nil }
            chunkStream = 64 + Int(low) + Int(high) << 8
        case let id: chunkStream = Int(id)
        }
        switch first >> 6 {
        case 0:
            guard let time = reader.uint24(), let length = reader.uint24(), let type = reader.uint8(),
                let stream = reader.uint32(), let timestamp = Self.extended(time, &reader)
            else { return nil }
            fields = .all(
                timestamp: timestamp, byteCount: Int(length), MessageType(rawValue: type), streamID: stream.byteSwapped)
        case 1:
            guard let time = reader.uint24(), let length = reader.uint24(), let type = reader.uint8(),
                let delta = Self.extended(time, &reader)
            else { return nil }
            fields = .sameStream(delta: delta, byteCount: Int(length), MessageType(rawValue: type))
        case 2:
            guard let time = reader.uint24(), let delta = Self.extended(time, &reader) else { return nil }
            fields = .sameLength(delta: delta)
        default: fields = .none
        }
    }

    @_lifetime(reader: copy reader)
    private static func extended(_ time: UInt32, _ reader: inout ByteReader) -> UInt32? {
        time == extendedMark ? reader.uint32() : time
    }
}
