import Media
import Wire

/// The address of one end of a connection.
public struct Endpoint: Hashable, Sendable {
    /// Numeric, without brackets and scope.
    public var address: String
    public var isLoopback: Bool

    public init(address: String, isLoopback: Bool) {
        self.address = address
        self.isLoopback = isLoopback
    }
}

/// The server's end of an RTSP connection, without its socket.
public struct ServerConnection: Sendable {
    public let configuration: Configuration
    public let peer: Endpoint
    public let local: Endpoint

    public struct Configuration: Hashable, Sendable {
        public init() {}
    }

    public init(configuration: Configuration, peer: Endpoint, local: Endpoint, at now: MonotonicTime) {
        self.configuration = configuration
        self.peer = peer
        self.local = local
    }

    public mutating func received(_ bytes: RawSpan, at now: MonotonicTime) {}
    public mutating func receivedEnd(at now: MonotonicTime) {}
    public mutating func described(_ id: RequestID, _ answer: Result<Description, Refusal>, at now: MonotonicTime) {}
    public mutating func setUp(_ id: RequestID, _ answer: Result<SetUpAnswer, Refusal>, at now: MonotonicTime) {}
    public mutating func played(_ id: RequestID, _ answer: Result<PlayAnswer, Refusal>, at now: MonotonicTime) {}
    public mutating func heard(_ session: SessionID, at now: MonotonicTime) {}
    public mutating func deadlinePassed(at now: MonotonicTime) {}
    public mutating func shuttingDown() {}
    public mutating func nextAction() -> ServerAction? { nil }
    public var nextDeadline: MonotonicTime? { nil }
}
