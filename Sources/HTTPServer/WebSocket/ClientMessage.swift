import FoundationEssentials

/// A message of a client of the WebSocket (docs/http-websocket.md).
public enum ClientMessage: Hashable, Sendable {
    /// Asks for a `pong` with this id.
    case ping(id: Int)
    case subscribe(Topic)
    case unsubscribe(Topic)
    /// A message that this server does not know. Its type is text of the client.
    case unknown(type: String)

    /// What a client can be told about again and again.
    public enum Topic: Hashable, Sendable {
        case streams
        /// Those of a path.
        case viewers(path: String)
        /// What becomes of sources, viewers and publishers of all paths.
        case events
        /// A topic that this server does not know.
        case unknown(String)
    }

    /// Why a message is no message of the protocol.
    public enum Failure: Error, Hashable, Sendable {
        case tooLong
        case malformed
    }

    /// A real message has under 300 bytes.
    public static let maximumByteCount = 4_096

    /// Reads a message, which is an object of JSON.
    public init(parsing bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Self.maximumByteCount else { throw .tooLong }
        let fields: Fields
        do {
            fields = try JSONDecoder().decode(Fields.self, from: Data(bytes))
        } catch {
            throw .malformed
        }
        switch fields.type {
        case "ping":
            guard let id = fields.id else { throw .malformed }
            self = .ping(id: id)
        case "subscribe": self = .subscribe(try Topic(fields))
        case "unsubscribe": self = .unsubscribe(try Topic(fields))
        default: self = .unknown(type: fields.type)
        }
    }

    fileprivate struct Fields: Decodable {
        let type: String
        let id: Int?
        let topic: String?
        let path: String?
    }
}

extension ClientMessage.Topic {
    fileprivate init(_ fields: ClientMessage.Fields) throws(ClientMessage.Failure) {
        switch fields.topic {
        case "streams": self = .streams
        case "viewers":
            guard let path = fields.path else { throw .malformed }
            self = .viewers(path: path)
        case "events": self = .events
        case let name?: self = .unknown(name)
        case nil: throw .malformed
        }
    }
}
