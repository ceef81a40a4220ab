import Delivery
import MPEGTS
import Reactor
import Synchronization

/// What is received of a transport stream in datagrams, for the status. Thread-safe.
final class DatagramReception: Sendable {
    private struct State {
        var sender: SocketAddress?
        var counts = TransportPacketCounts()
        /// Other hosts or programs that send to the same port.
        var others: [SocketAddress] = []
    }

    /// How many other senders are named: a host could send from every port, and each would be a line of the log.
    private static let maximumOtherCount = 8

    private let label: String
    private let transport: String
    private let state = Mutex(State())

    init(label: String, transport: String) {
        (self.label, self.transport) = (label, transport)
    }

    /// A run of the source begins.
    func begin() {
        state.withLock { $0 = State() }
    }

    /// A datagram of the stream has come.
    func received(_ bytes: RawSpan, from sender: SocketAddress) {
        state.withLock { state in
            state.sender = sender
            state.counts.receive(bytes)
        }
    }

    /// A datagram has come that is left out, because another host or program sends the stream.
    ///
    /// - Returns: whether to report its sender, which is new.
    func leftOut(from other: SocketAddress) -> Bool {
        state.withLock { state in
            guard state.others.count < Self.maximumOtherCount, !state.others.contains(other) else { return false }
            state.others.append(other)
            return true
        }
    }

    /// What has come in the present run.
    var input: NetworkInput {
        let state = state.withLock(\.self)
        let status = state.sender.map { _ in
            ReceptionStatus(
                units: [("MP2T", Int64(state.counts.packetCount))], lostCount: state.counts.missingCount,
                leftOut: state.others.map { "datagrams from \($0)" }, roundTrip: nil)
        }
        return NetworkInput(
            peer: state.sender.map { "\($0)" } ?? label, transport: transport, reception: status)
    }
}
