import Wire

/// One chunk stream of a peer: the fields that its next chunks may leave out, and the message that has begun.
struct ChunkStream: Sendable {
    private var timestamp: UInt32 = 0
    /// What the next message adds to the timestamp if it has no header fields.
    private var delta: UInt32 = 0
    /// The extended timestamp of the last header, which type 3 chunks repeat; `nil` if there was none.
    private var extended: UInt32?
    private var type = MessageType(rawValue: 0)
    private var streamID: UInt32 = 0
    private var hasBegun = false
    /// Bytes that the message has when it is complete.
    private(set) var byteCount = 0
    /// What has come of the message.
    private(set) var payload: [UInt8] = []
    /// Bytes of a message that another one has replaced before its end.
    var droppedByteCount = 0

    /// A chunk with these header fields begins. False if more bytes are needed; then nothing has changed.
    @_lifetime(reader: copy reader)
    mutating func begin(_ fields: ChunkHeader.Fields, _ reader: inout ByteReader) -> Bool {
        switch fields {
        case .all(let timestamp, let byteCount, let type, let streamID):
            // "If a Type 3 chunk follows a Type 0 chunk, then the timestamp delta for this Type 3 chunk is the same as the timestamp
            // of the Type 0 chunk" (section 5.3.1.2.4). FFmpeg sends so.
            (self.timestamp, delta) = (timestamp, timestamp)
            (self.byteCount, self.type, self.streamID) = (byteCount, type, streamID)
            setExtended(timestamp)
        case .sameStream(let delta, let byteCount, let type):
            (self.byteCount, self.type) = (byteCount, type)
            add(delta)
        case .sameLength(let delta): add(delta)
        case .none: return continueOrRepeat(&reader)
        }
        // A header with fields begins a message, even if the one before lacks its end.
        droppedByteCount += drop()
        hasBegun = true
        return true
    }

    /// Adds bytes of the input to the message.
    mutating func append(_ input: [UInt8], _ range: Range<Int>) {
        payload.append(input.rawSpan.extracting(range))
    }

    /// The chunk has ended; the message, if it is complete.
    mutating func end() -> Message? {
        guard payload.count == byteCount else { return nil }
        defer { _ = drop() }
        return Message(type, streamID: streamID, timestamp: timestamp, payload: payload)
    }

    /// Drops what has come of the message, and returns the number of its bytes.
    mutating func drop() -> Int {
        let count = payload.count
        payload = []
        hasBegun = false
        return count
    }

    private mutating func add(_ delta: UInt32) {
        self.delta = delta
        timestamp &+= delta
        setExtended(delta)
    }

    private mutating func setExtended(_ value: UInt32) {
        extended = value >= ChunkHeader.extendedMark ? value : nil
    }

    /// A type 3 chunk. It repeats the extended timestamp (section 5.3.1.3), but some encoders leave it out: four other bytes are payload.
    @_lifetime(reader: copy reader)
    private mutating func continueOrRepeat(_ reader: inout ByteReader) -> Bool {
        if let extended {
            var ahead = reader
            guard let value = ahead.uint32() else { return false }
            if value == extended || value == timestamp { _ = reader.skip(4) }
        }
        if !hasBegun { timestamp &+= delta }
        hasBegun = true
        return true
    }
}
