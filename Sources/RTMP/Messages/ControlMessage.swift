import Wire

/// A message about the connection itself (Adobe's RTMP specification, section 5.4), except for those that ``ChunkReader`` obeys.
public enum ControlMessage: Hashable, Sendable {
    /// The most bytes of a chunk that follows.
    case setChunkSize(byteCount: UInt32)
    /// All bytes received so far, modulo 2³².
    case acknowledgement(byteCount: UInt32)
    /// The receiver must acknowledge whenever it has got this many bytes.
    case windowAcknowledgementSize(byteCount: UInt32)
    /// The receiver should leave at most this many bytes unacknowledged.
    case setPeerBandwidth(byteCount: UInt32)
    case userControl(UserControlEvent)

    /// `nil` for a message of another type, and for an event that is unknown.
    public init?(_ message: Message) throws(RTMPError) {
        var reader = ByteReader(message.payload.rawSpan)
        switch message.type {
        case .userControl:
            guard let event = try UserControlEvent(reading: &reader) else { return nil }
            self = .userControl(event)
        case .setChunkSize, .acknowledgement, .windowAcknowledgementSize, .setPeerBandwidth:
            guard let value = reader.uint32() else { throw .truncatedMessage(message.type) }
            switch message.type {
            case .setChunkSize: self = .setChunkSize(byteCount: value)
            case .acknowledgement: self = .acknowledgement(byteCount: value)
            case .windowAcknowledgementSize: self = .windowAcknowledgementSize(byteCount: value)
            default: self = .setPeerBandwidth(byteCount: value)
            }
        default: return nil
        }
    }

    /// The message, for chunk stream 2 and message stream 0.
    public var message: Message {
        var writer = ByteWriter(capacity: 10)
        switch self {
        case .setChunkSize(let value), .acknowledgement(let value), .windowAcknowledgementSize(let value):
            writer.uint32(value)
        case .setPeerBandwidth(let value):
            writer.uint32(value)
            // The limit type: dynamic.
            writer.uint8(2)
        case .userControl(let event): event.write(to: &writer)
        }
        return Message(type, payload: writer.bytes)
    }

    private var type: MessageType {
        switch self {
        case .setChunkSize: .setChunkSize
        case .acknowledgement: .acknowledgement
        case .windowAcknowledgementSize: .windowAcknowledgementSize
        case .setPeerBandwidth: .setPeerBandwidth
        case .userControl: .userControl
        }
    }
}
