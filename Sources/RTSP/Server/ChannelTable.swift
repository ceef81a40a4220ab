/// The sessions that use the interleaved channels of a connection.
struct ChannelTable: Sendable {
    private var owners: [UInt8: SessionID] = [:]

    /// The session that uses `channel`.
    func owner(of channel: UInt8) -> SessionID? { owners[channel] }

    func isFree(_ pair: ChannelPair) -> Bool {
        pair.rtp != pair.rtcp && owners[pair.rtp] == nil && owners[pair.rtcp] == nil
    }

    /// The lowest free pair of an even channel and the next odd one, for clients that name no channels.
    var firstFreePair: ChannelPair? {
        (0..<128).lazy.map(ChannelPair.init).first(where: isFree)
    }

    mutating func take(_ pair: ChannelPair, for session: SessionID) {
        owners[pair.rtp] = session
        owners[pair.rtcp] = session
    }

    mutating func release(_ session: SessionID) {
        owners = owners.filter { $0.value != session }
    }
}
