/// Why a packet has come, as far as its receiver can tell.
public enum PacketOrigin: Hashable, Sendable {
    /// It was sent for the first time, or the network has duplicated it.
    case original
    /// It was missing, was requested, and has come in time.
    case repair
    /// It was requested, but came too late, or once more.
    case needlessRepair
}
