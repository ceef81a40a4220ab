import Reactor

/// Receive buffers that all sessions of a loop share: each session handles the content before the next one receives.
struct ReceiveBuffers: ~Copyable {
    /// Each datagram may be a whole GSO batch (GRO).
    var datagrams = ReceivedDatagrams(capacity: 16, datagramByteCount: ReceivedDatagrams.maximumGROByteCount)
    /// The buffer for one read of a connection.
    var bytes = [UInt8](repeating: 0, count: 65_536)
}
