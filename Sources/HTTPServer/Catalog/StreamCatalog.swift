import RTSP
import Streams
import Synchronization

/// What the server knows of its streams, for clients of the API. Thread-safe; nothing blocks.
public protocol StreamCatalog: Sendable {
    /// Passes on all streams, by path, on any thread.
    func streams(_ receive: @escaping @Sendable ([CatalogStream]) -> Void)
    /// Passes on the viewers of a path, as an array of JSON, on any thread.
    func viewers(of path: String, _ receive: @escaping @Sendable ([UInt8]) -> Void)
    /// Queues the events of the server from now on; `nil` if too many clients follow them.
    ///
    /// - Parameter waker: is woken after each event, on any thread; not retained.
    func events(waking waker: any Waker) -> EventSubscription?
}

/// A stream as clients are told about it (docs/http-websocket.md).
public struct CatalogStream: Sendable {
    /// `/cam`.
    public let path: String
    /// Another number if its state, its tracks or the number of its viewers has changed. Clients are told at once then.
    public let state: Int
    /// Another number if anything has changed.
    public let content: Int
    /// The JSON for a client with these rights.
    public let json: @Sendable ([Right]) -> [UInt8]

    public init(path: String, state: Int, content: Int, json: @escaping @Sendable ([Right]) -> [UInt8]) {
        (self.path, self.state, self.content, self.json) = (path, state, content, json)
    }
}

extension CatalogStream {
    /// The same state. Its JSON is written once for each set of rights, and all clients with these rights get the same bytes.
    var shared: Self {
        let made = SharedJSON(json)
        return Self(path: path, state: state, content: content) { made.json(for: $0) }
    }
}

/// The JSON of one state of a stream, by the rights of the clients. Thread-safe.
private final class SharedJSON: Sendable {
    private let make: @Sendable ([Right]) -> [UInt8]
    private let made = Mutex<[[Right]: [UInt8]]>([:])

    init(_ make: @escaping @Sendable ([Right]) -> [UInt8]) {
        self.make = make
    }

    func json(for rights: [Right]) -> [UInt8] {
        made.withLock { made in
            if let json = made[rights] { return json }
            let json = make(rights)
            made[rights] = json
            return json
        }
    }
}

/// A catalog without streams.
struct EmptyCatalog: StreamCatalog {
    func streams(_ receive: @escaping @Sendable ([CatalogStream]) -> Void) { receive([]) }
    func viewers(of path: String, _ receive: @escaping @Sendable ([UInt8]) -> Void) { receive(Array("[]".utf8)) }
    func events(waking waker: any Waker) -> EventSubscription? { nil }
}

extension [CatalogStream] {
    /// The streams that a client may watch, as an array of JSON.
    func json(for rights: ClientRights) -> [UInt8] {
        let objects = filter { rights.admits(.read, $0.path) }.map { $0.json(rights.rights(at: $0.path)) }
        return [UInt8(ascii: "[")] + objects.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
}
