import COpenSSL
import Media

/// One end of a TLS connection (RFC 5246, RFC 8446), without its socket: the peer's bytes in, bytes for the peer out.
///
/// The law: after each input, send ``output`` and tell how much of it has left, then wait for bytes or ``nextDeadline``.
///
/// ```
/// handshake ──▶ established ──▶ ended        the peer sends no more, and may still be spoken to
///     └───────────────┴───────▶ failed       inputs have no effect any more; output tells the peer why
/// ```
/// It keeps nothing of what it has delivered. Of what it is to say it keeps what was not sent, so whoever writes a record only
/// when the one before has left bounds it by a record. Confined to its owner's thread.
public final class TLSConnection {
    public enum Phase: Hashable, Sendable {
        case handshake
        case established
        case ended
        case failed(TLSFailure)
    }

    /// What a peer may take before its handshake is complete.
    public struct HandshakeLimits: Hashable, Sendable {
        /// From the connection's first moment on: two round trips, and milliseconds of work.
        public var seconds = 10
        /// What a client sends: under 3 KB, since none is asked for a certificate.
        public var byteCount = 16_384

        public init() {}
    }

    /// What one record holds at most (RFC 8446, section 5.1).
    public static let recordByteCount = 16_384
    /// The content type of a handshake's record, its first byte (RFC 8446, section 5.1).
    private static let handshakeType: UInt8 = 22

    public private(set) var phase = Phase.handshake
    private let connection: OpaquePointer
    private let limits: HandshakeLimits
    private let isServer: Bool
    private let start: MonotonicTime
    /// Bytes of the peer so far, as long as the handshake lasts.
    private var receivedByteCount = 0

    /// The server's end of a new connection.
    ///
    /// - Throws: where there is no memory.
    public init(
        of identity: ServerIdentity, limits: HandshakeLimits = .init(), at now: MonotonicTime
    ) throws(IdentityFailure) {
        guard let connection = apus_tls_connection_make(identity.context) else { throw .impossible }
        self.connection = connection
        self.limits = limits
        isServer = true
        start = now
    }

    /// The client's end, which has its first bytes to send at once.
    ///
    /// - Throws: where there is no memory.
    public init(
        to client: UnverifiedTLSClient, limits: HandshakeLimits = .init(), at now: MonotonicTime
    ) throws(IdentityFailure) {
        guard let connection = apus_tls_connection_make(client.context) else { throw .impossible }
        self.connection = connection
        self.limits = limits
        isServer = false
        start = now
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { _ = read(into: $0) }
    }

    deinit {
        apus_tls_connection_free(connection)
    }

    /// Why it cannot go on.
    public var failure: TLSFailure? { if case .failed(let failure) = phase { failure } else { nil } }

    /// The version that was agreed upon, as `TLSv1.3`.
    public var version: String { String(cString: apus_tls_version(connection)) }

    // MARK: Deadlines

    /// When ``deadlinePassed(at:)`` is due.
    public var nextDeadline: MonotonicTime? {
        phase == .handshake ? start.advanced(byMilliseconds: Int64(limits.seconds) &* 1000) : nil
    }

    /// Earlier than ``nextDeadline``, nothing happens.
    public func deadlinePassed(at now: MonotonicTime) {
        guard let nextDeadline, now >= nextDeadline else { return }
        phase = .failed(.handshakeTooSlow(seconds: limits.seconds))
    }
}

// MARK: - What the peer says

extension TLSConnection {
    /// Bytes of the peer came.
    ///
    /// - Parameter deliver: is given what they say, in pieces of at most 2 KB that are valid until it returns.
    public func received(_ bytes: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Void) {
        if phase == .handshake { admitHandshake(bytes) }
        guard !bytes.isEmpty, phase == .handshake || phase == .established else { return }
        apus_tls_lend(connection, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        defer { apus_tls_lend(connection, nil, 0) }
        withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 16) { buffer in
            while let count = read(into: buffer) { deliver(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        }
    }

    /// Before OpenSSL sees anything: what begins with another byte is no TLS, and neither are there handshakes of any length.
    private func admitHandshake(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        if isServer, receivedByteCount == 0, first != Self.handshakeType {
            let isLetter = (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
            phase = .failed(isLetter ? .plainText : .notTLS(firstByte: first))
        }
        receivedByteCount += bytes.count
        guard receivedByteCount > limits.byteCount, failure == nil else { return }
        phase = .failed(.handshakeTooLong(byteCount: limits.byteCount))
    }

    /// What the peer says next, written into `buffer`; `nil` where it says nothing more for now.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let bytes = buffer.bindMemory(to: UInt8.self)
        let outcome = apus_tls_read(connection, bytes.baseAddress, bytes.count)
        if phase == .handshake, apus_tls_is_established(connection) { phase = .established }
        switch outcome {
        case 1...: return outcome
        case Int(apus_tls_needs_more): break
        case Int(apus_tls_has_ended): phase = .ended
        default: fail()
        }
        return nil
    }

    private func fail() {
        let reason = String(cString: apus_tls_failure(connection))
        phase = .failed(phase == .handshake ? .handshake(reason) : .connection(reason))
    }
}

// MARK: - What the peer is told

extension TLSConnection {
    /// Whether ``write(_:)`` says anything: once the handshake is complete.
    private var maySpeak: Bool { phase == .established || phase == .ended }

    /// Says `bytes` to the peer, in as many records as they take. Before the handshake is complete nobody can be spoken to: then
    /// they are let go of.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        guard maySpeak, !bytes.isEmpty else { return }
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        if !apus_tls_write(connection, start, bytes.count) { fail() }
    }

    public func write(_ bytes: some Collection<UInt8>) {
        let isWritten: Void? = bytes.withContiguousStorageIfAvailable { write(UnsafeRawBufferPointer($0)) }
        if isWritten == nil { Array(bytes).withUnsafeBytes { write($0) } }
    }

    /// Tells the peer that nothing follows (close_notify).
    public func close() {
        if maySpeak { apus_tls_close(connection) }
    }

    /// What waits to be sent; valid until the next call.
    public var output: UnsafeRawBufferPointer {
        var count = 0
        let start = apus_tls_output(connection, &count)
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// So many bytes of ``output`` have left.
    public func sent(_ byteCount: Int) {
        apus_tls_sent(connection, min(byteCount, output.count))
    }
}
