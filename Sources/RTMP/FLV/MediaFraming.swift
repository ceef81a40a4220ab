/// How the messages of a stream are divided into chunks for one receiver.
///
/// Players get each message in one chunk: the server announces the largest size before it plays, so nothing stands within the payload,
/// which all players share. Servers get at most 65 536 bytes in a chunk, because SRS and Adobe's server accept no more.
public struct MediaFraming: Sendable {
    /// The most bytes of a chunk to a server.
    static let serverChunkByteCount = 65_536

    private let streamID: UInt32
    private let receiver: FLVHead.Receiver
    private let writer: ChunkWriter

    init(for receiver: FLVHead.Receiver, streamID: UInt32) {
        (self.receiver, self.streamID) = (receiver, streamID)
        var writer = ChunkWriter()
        writer.chunkByteCount = receiver == .player ? MessageType.maximumByteCount : Self.serverChunkByteCount
        self.writer = writer
    }

    /// The bytes of a message: what stands before its payload, and the payload, which is not copied. A message that needs several chunks
    /// is in the second part as a whole.
    public func bytes(of message: FLVMessage, at timestamp: UInt32) -> (head: [UInt8], payload: [UInt8]) {
        guard message.payload.count <= writer.chunkByteCount else {
            let chunks = writer.bytes(
                of: message.message(streamID: streamID, at: timestamp), on: message.chunkStream)
            return ([], chunks)
        }
        return (message.header(streamID: streamID, at: timestamp).bytes, message.payload)
    }

    /// The bytes of the messages before the first frame of a generation.
    public func bytes(of head: FLVHead, at timestamp: UInt32) -> [UInt8] {
        head.messages(for: receiver).flatMap { part in
            writer.bytes(
                of: Message(part.type, streamID: streamID, timestamp: timestamp, payload: part.payload),
                on: part.chunkStream)
        }
    }
}
