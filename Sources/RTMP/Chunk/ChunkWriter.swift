import Wire

/// Divides messages into chunks (Adobe's RTMP specification, section 5.3).
///
/// Each message begins with a complete header (type 0), so that no chunk depends on one before it. Headers with fewer fields would save
/// at most eight bytes per message, but the outputs of all viewers could not be shared.
public struct ChunkWriter: Sendable {
    /// The most bytes of a message in one chunk. After a change, the peer must get Set Chunk Size before any other message.
    public var chunkByteCount = ChunkReader.initialChunkByteCount

    public init() {}

    /// The chunks of a message, which must have at most ``MessageType/maximumByteCount`` bytes.
    public func bytes(of message: Message, on chunkStream: ChunkStreamID) -> [UInt8] {
        let byteCount = message.payload.count
        precondition(byteCount <= MessageType.maximumByteCount, "the length of a message has 24 bits")
        let header = MessageHeader(message, on: chunkStream)
        let continuation = header.continuation
        let chunkCount = max(1, (byteCount + chunkByteCount - 1) / chunkByteCount)
        var writer = ByteWriter(capacity: header.byteCount + byteCount + (chunkCount - 1) * continuation.count)
        writer.append(header.bytes)
        for offset in stride(from: 0, to: byteCount, by: chunkByteCount) {
            if offset > 0 { writer.append(continuation) }
            writer.append(message.payload.rawSpan.extracting(offset..<min(offset + chunkByteCount, byteCount)))
        }
        return writer.bytes
    }
}

/// The chunk streams on which we send. The specification reserves only 2 (section 5.4); the others are those of FFmpeg and Flash.
public enum ChunkStreamID: UInt8, Hashable, Sendable {
    case control = 2
    case command = 3
    case audio = 4
    case status = 5
    case video = 6
}
