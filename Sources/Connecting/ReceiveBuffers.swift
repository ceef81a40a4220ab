import Reactor

/// Receive buffers that all sessions of a loop share: each session handles the content before the next one receives.
public struct ReceiveBuffers: ~Copyable {
    /// Each datagram may be a whole GSO batch (GRO).
    public var datagrams = ReceivedDatagrams(capacity: 16, datagramByteCount: ReceivedDatagrams.maximumGROByteCount)
    /// The buffer for one read of a connection.
    public var bytes = [UInt8](repeating: 0, count: 65_536)

    public init() {}
}

/// The receive buffers of a service that connects to servers: each session handles the content before the next one receives.
public final class OutgoingBuffers {
    /// For connections until they are established.
    public var link = ReceiveBuffers()
    /// For RTCP of servers.
    public var datagrams = ReceivedDatagrams()

    public init() {}
}
