import CSRT
import Glibc
import Media
import Reactor
import SRT

/// A socket of libsrt in live mode, which does not block. A number, as file descriptors are; its owner closes it. Thread-safe.
struct SRTSocket: Hashable, Sendable {
    let number: Int32

    init(number: Int32) {
        self.number = number
    }

    /// Makes a socket that is neither bound nor connected.
    static func make() throws(SRTFailure) -> SRTSocket {
        let number = apus_srt_make()
        guard number >= 0 else { throw SRTFailure.last(of: "socket") }
        return SRTSocket(number: number)
    }

    func close() { apus_srt_close(number) }

    // MARK: Options

    func set(_ option: apus_srt_option, _ value: Int) throws(SRTFailure) {
        guard apus_srt_set(number, option, Int32(clamping: value)) else { throw SRTFailure.last(of: "set option") }
    }

    func set(_ option: apus_srt_text_option, _ text: String) throws(SRTFailure) {
        guard apus_srt_set_text(number, option, text, text.utf8.count) else { throw SRTFailure.last(of: "set option") }
    }

    /// What all connections have in common, whichever end calls.
    func setMediaOptions(peerIdleMilliseconds: Int) throws(SRTFailure) {
        try set(apus_srt_peer_idle_timeout, peerIdleMilliseconds)
        try set(apus_srt_send_buffer_size, Self.sendBufferByteCount)
        try set(apus_srt_flow_window, Self.flowWindow)
        // A lost packet is sent again for each report of its loss, of which receivers send one every half round trip. By default, it is
        // sent again once per round trip: at a latency of five round trips and 5 % loss, a few packets of 100 000 then come too late.
        try set(apus_srt_retransmission, 0)
    }

    /// What a connection may hold unacknowledged: more than the lag and latency of viewers at 40 Mbit/s. libsrt allocates it as it is used.
    private static let sendBufferByteCount = 4_000_000

    /// The most packets that a peer may have underway: as many as libsrt's receive buffer holds. A listener fills a list of this length
    /// while it answers a handshake, and the duration of the answer is added to the latency of the connection until libsrt has measured
    /// the drift of the clocks, half a minute later. libsrt's own 25 600 take 0.3 ms longer.
    private static let flowWindow = 8_192

    /// The passphrase, the length of the key and the latency of a connection that is not made yet.
    func set(_ options: SRTConnectionOptions) throws(SRTFailure) {
        if let passphrase = options.passphrase { try set(apus_srt_passphrase, passphrase.text) }
        // Without a length, the peer's is used, or 16 bytes.
        if let length = options.keyLength { try set(apus_srt_key_length, length.rawValue) }
        if let milliseconds = options.latencyMilliseconds {
            try set(apus_srt_receive_latency, milliseconds)
            try set(apus_srt_peer_latency, milliseconds)
        }
    }

    // MARK: Connecting

    func bind(to address: SocketAddress) throws(SRTFailure) {
        guard address.withSockaddr({ apus_srt_bind(number, $0, $1) }) else { throw SRTFailure.last(of: "bind") }
    }

    func connect(to address: SocketAddress) throws(SRTFailure) {
        guard address.withSockaddr({ apus_srt_connect(number, $0, $1) }) else { throw SRTFailure.last(of: "connect") }
    }

    /// `nil` if the socket is not bound.
    var localAddress: SocketAddress? {
        var storage = sockaddr_storage()
        return apus_srt_local_address(number, &storage) ? SocketAddress(storage) : nil
    }

    /// The next connection of a listener; `nil` if there is none.
    func accept() -> (socket: SRTSocket, peer: SocketAddress)? {
        var storage = sockaddr_storage()
        let accepted = apus_srt_accept(number, &storage)
        guard accepted >= 0 else { return nil }
        guard let peer = SocketAddress(storage) else {
            apus_srt_close(accepted)
            return nil
        }
        return (SRTSocket(number: accepted), peer)
    }

    enum State: Hashable {
        case connecting
        case connected
        /// Broken, closed, or unknown to libsrt.
        case gone
    }

    var state: State {
        switch apus_srt_state_of(number) {
        case apus_srt_connecting: .connecting
        case apus_srt_connected: .connected
        default: .gone
        }
    }

    /// Why the peer has rejected the connection.
    var rejection: SRTRejection { SRTRejection(rawValue: Int(apus_srt_reject_reason(number))) }

    // MARK: Media

    /// - Returns: whether the message was taken; `nil` if the connection is broken.
    func send(_ message: UnsafeRawBufferPointer) -> Bool? {
        let sent = apus_srt_send(number, message.baseAddress, Int32(message.count))
        return sent < 0 ? nil : sent > 0
    }

    /// What the send buffer holds: messages that the peer has not acknowledged.
    struct SendBuffer: Hashable {
        /// From the source time of the first message to that of the last, in nanoseconds.
        let duration: Int64
        let byteCount: Int
    }

    /// `nil` if the connection is broken.
    var sendBuffer: SendBuffer? {
        var byteCount = 0
        let milliseconds = apus_srt_send_buffer(number, &byteCount)
        guard milliseconds >= 0 else { return nil }
        return SendBuffer(duration: Int64(milliseconds) * 1_000_000, byteCount: byteCount)
    }

    var statistics: SRTStatistics? {
        var all = apus_srt_statistics()
        return apus_srt_read_statistics(number, &all) ? SRTStatistics(all) : nil
    }
}
