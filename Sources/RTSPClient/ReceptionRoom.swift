import Reactor

/// Room to receive in, shared by all sessions of a loop: each empties it before the next one fills it.
struct ReceptionRoom: ~Copyable {
    var datagrams = ReceivedDatagrams(capacity: 64)
    /// What one read of a connection takes at most.
    var bytes = [UInt8](repeating: 0, count: 65_536)
}
