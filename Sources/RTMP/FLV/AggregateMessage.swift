import Wire

/// Several messages in one (Adobe's RTMP specification, section 7.1.6), as Flash Media Server sends them to players.
///
/// ```
/// | type, 8 | length, 24 | timestamp, 24; its high byte, 8 | stream, 24 | payload | length of all that, 32 | next …
/// ```
enum AggregateMessage {
    /// The most messages in one. Real ones have some dozens; the smallest, of 16 bytes, fill 64 KB with as many.
    static let maximumPartCount = 4_096

    /// The messages with their own times: the first has the time of the whole; `nil` if it is malformed or has too many.
    static func messages(in message: Message) -> [Message]? {
        var reader = ByteReader(message.payload.rawSpan)
        var messages: [Message] = []
        var first: UInt32?
        while reader.remaining > 0 {
            guard messages.count < maximumPartCount, let type = reader.uint8(), let length = reader.uint24(),
                let low = reader.uint24(), let high = reader.uint8(), reader.skip(3),
                let payload = reader.take(Int(length)), reader.skip(4)
            else { return nil }
            let timestamp = UInt32(high) << 24 | low
            let offset = timestamp &- (first ?? timestamp)
            first = first ?? timestamp
            messages.append(
                Message(
                    MessageType(rawValue: type), streamID: message.streamID, timestamp: message.timestamp &+ offset,
                    payload: [UInt8](payload)))
        }
        return messages
    }
}
