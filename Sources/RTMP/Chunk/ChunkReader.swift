import Wire

/// Puts the messages of a connection together from its chunks (Adobe's RTMP specification, section 5.3).
///
/// The result does not depend on how the bytes are split. The reader obeys Set Chunk Size and Abort Message itself, and gives all other
/// messages. Memory grows with the bytes that come, not with the lengths that headers announce.
public struct ChunkReader: Sendable {
    /// What a peer may send.
    public struct Limits: Hashable, Sendable {
        /// Bytes of one message: many times a keyframe in 4K.
        public var messageByteCount = 4 << 20
        /// Chunk streams of a connection. FFmpeg uses five, OBS three, and none of the known clients more than eight.
        public var chunkStreamCount = 16
        /// Bytes of all messages that have begun. Only one of them is usually large.
        public var partialByteCount = 8 << 20

        public init() {}

        /// Those of a client that has only sent commands. Otherwise each connection could hold megabytes before its user is known.
        static let commands: Self = {
            var limits = Self()
            (limits.messageByteCount, limits.partialByteCount) = (1 << 16, 1 << 17)
            return limits
        }()
    }

    /// The chunk size before the peer sets one.
    static let initialChunkByteCount = 128

    var limits: Limits
    private var input: [UInt8] = []
    /// The index of the next byte in the input.
    private var start = 0
    private var streams: [Int: ChunkStream] = [:]
    /// The chunk that is being read, and the bytes of its payload that have not come yet.
    private var open: (chunkStream: Int, byteCount: Int)?
    private var partialByteCount = 0
    private var chunkByteCount = initialChunkByteCount

    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Bytes that ``next()`` has not read yet.
    public var waitingByteCount: Int { input.count - start }

    /// More bytes have come.
    public mutating func append(_ bytes: RawSpan) {
        if start == input.count {
            input.removeAll(keepingCapacity: true)
            start = 0
        } else if start > input.count / 2 {
            input.removeFirst(start)
            start = 0
        }
        input.append(bytes)
    }

    /// The next message; `nil` if more bytes are needed. After an error the connection must be closed.
    public mutating func next() throws(RTMPError) -> Message? {
        while true {
            if open == nil {
                guard try beginChunk() else { return nil }
            }
            guard let message = try readPayload() else {
                if open != nil { return nil }
                continue
            }
            if try !obey(message) { return message }
        }
    }

    // MARK: - Chunks

    /// Reads the header of a chunk; false if more bytes are needed.
    private mutating func beginChunk() throws(RTMPError) -> Bool {
        var reader = ByteReader(input.rawSpan.extracting(start..<input.count))
        guard let header = ChunkHeader(reading: &reader) else { return false }
        var stream: ChunkStream
        if let known = streams[header.chunkStream] {
            stream = known
        } else {
            guard case .all = header.fields else {
                throw .chunkWithoutBeginning(chunkStream: header.chunkStream)
            }
            guard streams.count < limits.chunkStreamCount else {
                throw .tooManyChunkStreams(limit: limits.chunkStreamCount)
            }
            stream = ChunkStream()
        }
        guard stream.begin(header.fields, &reader) else { return false }
        guard stream.byteCount <= limits.messageByteCount else {
            throw .messageTooLong(byteCount: stream.byteCount, limit: limits.messageByteCount)
        }
        start += reader.offset
        partialByteCount -= stream.droppedByteCount
        stream.droppedByteCount = 0
        open = (header.chunkStream, min(chunkByteCount, stream.byteCount - stream.payload.count))
        streams[header.chunkStream] = stream
        return true
    }

    /// Takes what has come of the open chunk. Returns the message if it is complete.
    private mutating func readPayload() throws(RTMPError) -> Message? {
        guard let (id, left) = open else { return nil }
        let count = min(left, waitingByteCount)
        partialByteCount += count
        guard partialByteCount <= limits.partialByteCount else {
            throw .tooManyPartialBytes(limit: limits.partialByteCount)
        }
        streams[id, default: ChunkStream()].append(input, start..<(start + count))
        start += count
        guard count == left else {
            open = (id, left - count)
            return nil
        }
        open = nil
        guard let message = streams[id]?.end() else { return nil }
        partialByteCount -= message.payload.count
        return message
    }

    // MARK: - Messages for the reader

    /// Whether the message concerns only the reader (sections 5.4.1 and 5.4.2).
    private mutating func obey(_ message: Message) throws(RTMPError) -> Bool {
        guard message.type == .setChunkSize || message.type == .abort else { return false }
        var reader = ByteReader(message.payload.rawSpan)
        guard let value = reader.uint32() else { throw .truncatedMessage(message.type) }
        if message.type == .abort {
            let dropped = streams[Int(value)]?.drop() ?? 0
            partialByteCount -= dropped
        } else {
            guard value > 0, value < 0x8000_0000 else { throw .invalidChunkSize(value) }
            // A larger size means the same, because no message is longer (section 5.4.1). It costs nothing: memory is not
            // allocated for it.
            chunkByteCount = min(Int(value), MessageType.maximumByteCount)
        }
        return true
    }
}
