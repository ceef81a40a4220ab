import COpenSSL
import Media

/// One end of a TLS connection (RFC 5246, RFC 8446) without its socket: a state machine from bytes to bytes.
///
/// Protocol of use: after each input, send ``output`` and report the sent bytes by ``sent(_:)``; then wait for bytes or
/// ``nextDeadline``.
///
/// ```
/// handshake ──▶ established ──▶ ended        the peer has closed its direction; writing is still possible
///     └───────────────┴───────▶ failed       inputs have no effect; output holds the alert for the peer
/// ```
/// The connection does not store received data. It stores output until it is sent; a caller that writes a record only after the
/// previous one has left limits this to one record. Confined to its owner's thread.
public final class TLSConnection {
    public enum Phase: Hashable, Sendable {
        case handshake
        case established
        case ended
        case failed(TLSFailure)
    }

    /// The limits until the handshake is complete.
    public struct HandshakeLimits: Hashable, Sendable {
        /// The time since the connection began; a handshake takes two round trips and some milliseconds of work.
        public var seconds = 10
        /// The bytes from a client; a real client sends under 3 KB because the server requests no client certificate.
        public var byteCount = 16_384

        public init() {}
    }

    /// The maximum payload of a record (RFC 8446, section 5.1).
    public static let recordByteCount = 16_384
    /// The content type of a handshake record, its first byte (RFC 8446, section 5.1).
    private static let handshakeType: UInt8 = 22

    public private(set) var phase = Phase.handshake
    private let connection: OpaquePointer
    private let limits: HandshakeLimits
    private let isServer: Bool
    /// Which certificates of the server are accepted; `nil` at the server's end.
    private let certificates: TLSClient.Certificates?
    private let start: MonotonicTime
    /// Bytes received from the peer during the handshake.
    private var receivedByteCount = 0

    /// Creates the server's end of a new connection.
    ///
    /// - Parameter protocols: The application protocols that the server accepts, preferred ones first (RFC 7301). A client that offers
    ///   only others is refused. With none, the server ignores what the client offers.
    /// - Throws: If there is not enough memory.
    public init(
        of identity: ServerIdentity, accepting protocols: [String] = [], limits: HandshakeLimits = .init(),
        at now: MonotonicTime
    ) throws(IdentityFailure) {
        guard let connection = apus_tls_connection_make(identity.context) else { throw .impossible }
        self.connection = connection
        self.limits = limits
        isServer = true
        certificates = nil
        start = now
        try negotiate(protocols)
    }

    /// Creates the client's end; its ``output`` already holds the first bytes.
    ///
    /// - Parameters:
    ///   - host: The server's name or numeric address, which a verified certificate must contain.
    ///   - protocols: The application protocols to offer (RFC 7301).
    /// - Throws: If there is not enough memory.
    public init(
        to client: TLSClient, host: String? = nil, offering protocols: [String] = [], limits: HandshakeLimits = .init(),
        at now: MonotonicTime
    ) throws(IdentityFailure) {
        guard let connection = apus_tls_connection_make(client.context) else { throw .impossible }
        self.connection = connection
        self.limits = limits
        isServer = false
        certificates = client.certificates
        start = now
        if let host, !apus_tls_set_peer(connection, host) { throw .impossible }
        try negotiate(protocols)
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { _ = read(into: $0) }
    }

    deinit {
        apus_tls_connection_free(connection)
    }

    private func negotiate(_ protocols: [String]) throws(IdentityFailure) {
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
        guard list.isEmpty || apus_tls_set_protocols(connection, list, UInt32(list.count)) else { throw .impossible }
    }

    /// The reason why the connection failed; `nil` if it has not.
    public var failure: TLSFailure? { if case .failed(let failure) = phase { failure } else { nil } }

    /// The negotiated version, such as `TLSv1.3`.
    public var version: String { String(cString: apus_tls_version(connection)) }

    /// The application protocol that both ends have agreed on, such as `h2`; `nil` if the client has offered none.
    public var applicationProtocol: String? {
        var count: UInt32 = 0
        guard let name = apus_tls_protocol(connection, &count) else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    // MARK: Deadlines

    /// The time at which to call ``deadlinePassed(at:)``.
    public var nextDeadline: MonotonicTime? {
        phase == .handshake ? start.advanced(byMilliseconds: Int64(limits.seconds) &* 1000) : nil
    }

    /// Fails the handshake if ``nextDeadline`` has passed.
    public func deadlinePassed(at now: MonotonicTime) {
        guard let nextDeadline, now >= nextDeadline else { return }
        phase = .failed(.handshakeTooSlow(seconds: limits.seconds))
    }
}

// MARK: - Input from the peer

extension TLSConnection {
    /// Processes bytes from the peer.
    ///
    /// - Parameter deliver: Called with the decrypted data, in pieces of at most 2 KB that are valid until it returns.
    public func received(_ bytes: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Void) {
        if phase == .handshake { checkHandshake(bytes) }
        guard !bytes.isEmpty, phase == .handshake || phase == .established else { return }
        apus_tls_lend(connection, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        defer { apus_tls_lend(connection, nil, 0) }
        withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 16) { buffer in
            while let count = read(into: buffer) { deliver(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        }
    }

    /// Checks the bytes before OpenSSL reads them: rejects a wrong first byte and a handshake that is too long.
    private func checkHandshake(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        if isServer, receivedByteCount == 0, first != Self.handshakeType {
            let isLetter = (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
            phase = .failed(isLetter ? .plainText : .notTLS(firstByte: first))
        }
        receivedByteCount += bytes.count
        guard receivedByteCount > limits.byteCount, failure == nil else { return }
        phase = .failed(.handshakeTooLong(byteCount: limits.byteCount))
    }

    /// Decrypts the next data into `buffer`; returns `nil` if there is none for now.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let bytes = buffer.bindMemory(to: UInt8.self)
        let outcome = apus_tls_read(connection, bytes.baseAddress, bytes.count)
        if phase == .handshake, apus_tls_is_established(connection) { finishHandshake() }
        guard failure == nil else { return nil }
        switch outcome {
        case 1...: return outcome
        case Int(apus_tls_needs_more): break
        case Int(apus_tls_has_ended): phase = .ended
        default: fail()
        }
        return nil
    }

    /// The handshake is complete. Nothing is sent to a server whose certificate is not accepted.
    private func finishHandshake() {
        phase = .established
        guard let certificates, certificates != .any else { return }
        var digest = [UInt8](repeating: 0, count: 32)
        guard apus_tls_peer_fingerprint(connection, &digest) else {
            return phase = .failed(.untrusted("the server has sent no certificate", fingerprint: []))
        }
        switch certificates {
        case .any: break
        case .verified:
            guard let problem = apus_tls_verify_problem(connection) else { return }
            phase = .failed(.untrusted(String(cString: problem), fingerprint: digest))
        case .fingerprint(let expected):
            guard digest != expected else { return }
            phase = .failed(.untrusted("it has another fingerprint", fingerprint: digest))
        }
    }

    private func fail() {
        let reason = String(cString: apus_tls_failure(connection))
        phase = .failed(phase == .handshake ? .handshake(reason) : .connection(reason))
    }
}

// MARK: - Output to the peer

extension TLSConnection {
    /// Whether ``write(_:)`` has an effect: only after the handshake.
    private var canWrite: Bool { phase == .established || phase == .ended }

    /// Encrypts `bytes` for the peer, in as many records as needed. Before the handshake is complete, the bytes are discarded.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        guard canWrite, !bytes.isEmpty else { return }
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        if !apus_tls_write(connection, start, bytes.count) { fail() }
    }

    public func write(_ bytes: some Collection<UInt8>) {
        let isWritten: Void? = bytes.withContiguousStorageIfAvailable { write(UnsafeRawBufferPointer($0)) }
        if isWritten == nil { Array(bytes).withUnsafeBytes { write($0) } }
    }

    /// Tells the peer that no more data follows (close_notify).
    public func close() {
        if canWrite { apus_tls_close(connection) }
    }

    /// The bytes to send to the peer; valid until the next call.
    public var output: UnsafeRawBufferPointer {
        var count = 0
        let start = apus_tls_output(connection, &count)
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Removes the first `byteCount` bytes of ``output`` after they were sent.
    public func sent(_ byteCount: Int) {
        apus_tls_sent(connection, min(byteCount, output.count))
    }
}
