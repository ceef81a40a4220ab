import Media

/// Converts the access units of one codec to RTP payloads.
protocol Packetizer: Sendable {
    /// The packets for `unit`; `nil` if nothing of it can be carried.
    func packetize(_ unit: AccessUnit) -> PacketRun?
}
