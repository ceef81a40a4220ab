import Synchronization

/// Counts the viewers of a stream that have joined and left, by transport and reason, for metrics. Thread-safe.
public final class ViewerCounts: Sendable {
    /// Why a viewer has left: few values, unlike the sentences of the log. The raw values are labels of metrics.
    public enum Departure: String, CaseIterable, Hashable, Sendable {
        /// The client ended its session, or got all that it asked for.
        case left
        case connectionClosed = "connection_closed"
        /// The client has sent nothing for too long.
        case silent
        /// The client has taken nothing for too long.
        case stalled
        /// The tracks or the groups of the stream have changed.
        case changed
        /// The stream has ended, or was removed.
        case streamEnded = "stream_ended"
        case permissionLost = "permission_lost"
        /// An operator has disconnected the viewer.
        case disconnected
    }

    /// What is counted together.
    public struct Key: Hashable, Sendable {
        public let transport: String
        public let departure: Departure
    }

    public struct Counts: Hashable, Sendable {
        /// By transport.
        public var joined: [String: Int] = [:]
        public var left: [Key: Int] = [:]
    }

    private let state = Mutex(Counts())

    init() {}

    /// A viewer begins to play.
    ///
    /// - Parameter transport: one of few names, such as `UDP`.
    public func joined(over transport: String) { state.withLock { $0.joined[transport, default: 0] += 1 } }

    /// A viewer that has joined has left.
    public func left(over transport: String, _ departure: Departure) {
        state.withLock { $0.left[Key(transport: transport, departure: departure), default: 0] += 1 }
    }

    public var counts: Counts { state.withLock { $0 } }
}
