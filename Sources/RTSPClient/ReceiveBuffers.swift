import Reactor

/// Room to receive in, shared by all sessions of a loop: each empties it before the next one fills it.
struct ReceiveBuffers: ~Copyable {
    /// Each may be a train in one piece.
    var datagrams = ReceivedDatagrams(capacity: 16, datagramByteCount: ReceivedDatagrams.maximumGROByteCount)
    /// What one read of a connection takes at most.
    var bytes = [UInt8](repeating: 0, count: 65_536)
}
