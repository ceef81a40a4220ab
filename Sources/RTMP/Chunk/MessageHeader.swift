import Wire

/// The complete header before a message (type 0; Adobe's RTMP specification, section 5.3.1.2.1): 12 bytes, or 16 from 4.66 hours on.
///
/// ```
/// | 0, 2 bits; chunk stream, 6 | timestamp, 24 | length, 24 | type, 8 | message stream, 32, low byte first | extended timestamp, 32 |
/// ```
public struct MessageHeader: Hashable, Sendable {
    public let chunkStream: ChunkStreamID
    /// Milliseconds, modulo 2³².
    public let timestamp: UInt32
    /// Bytes of the message, at most ``MessageType/maximumByteCount``.
    public let payloadByteCount: Int
    public let type: MessageType
    public let streamID: UInt32

    /// The most bytes of a header.
    public static let maximumByteCount = 16

    public init(
        on chunkStream: ChunkStreamID, timestamp: UInt32, payloadByteCount: Int, _ type: MessageType, streamID: UInt32
    ) {
        self.chunkStream = chunkStream
        self.timestamp = timestamp
        self.payloadByteCount = payloadByteCount
        self.type = type
        self.streamID = streamID
    }

    init(_ message: Message, on chunkStream: ChunkStreamID) {
        self.init(
            on: chunkStream, timestamp: message.timestamp, payloadByteCount: message.payload.count, message.type,
            streamID: message.streamID)
    }

    private var isExtended: Bool { timestamp >= ChunkHeader.extendedMark }

    /// Bytes that `write` appends.
    public var byteCount: Int { isExtended ? 16 : 12 }

    /// Appends the header.
    @_lifetime(output: copy output)
    public func write(to output: inout OutputRawSpan) {
        let time = isExtended ? ChunkHeader.extendedMark : timestamp
        output.append(uint32: UInt32(chunkStream.rawValue) << 24 | time)
        // The length has 24 bits.
        output.append(uint32: UInt32(truncatingIfNeeded: payloadByteCount) << 8 | UInt32(type.rawValue))
        output.append(uint32: streamID.byteSwapped)
        if isExtended { output.append(uint32: timestamp) }
    }

    /// The header.
    public var bytes: [UInt8] {
        [UInt8](capacity: Self.maximumByteCount) { write(to: &$0) }
    }

    /// What stands before each further chunk of the message: type 3, with the extended timestamp again (section 5.3.1.3).
    var continuation: [UInt8] {
        [0xC0 | chunkStream.rawValue] + (isExtended ? Array(bytes.suffix(4)) : [])
    }
}
