import COpenSSL
import Media

/// One end of a DTLS 1.2 connection (RFC 6347) that makes keys for SRTP (RFC 5764), without its socket: a state machine from datagrams to
/// datagrams.
///
/// Protocol of use: after each call, send what ``takeOutput(_:)`` returns; then wait for a datagram or ``nextDeadline``.
///
/// ```
/// handshake ──▶ established ──▶ ended      the peer has said that it sends no more
///     └───────────────┴───────▶ failed     inputs have no effect; the output holds an alert for the peer
/// ```
/// Confined to its owner's thread.
public final class DTLSConnection {
    /// The role of this end. The client begins the handshake; `a=setup` decides which end that is (RFC 8842).
    public enum Role: Hashable, Sendable {
        case client
        case server
    }

    public enum Phase: Hashable, Sendable {
        case handshake
        case established(DTLSKeys)
        case ended
        case failed(TLSFailure)
    }

    /// The limits until the handshake is complete.
    public struct HandshakeLimits: Hashable, Sendable {
        /// The time since the connection began: two round trips, some milliseconds of work, and some retransmissions.
        public var seconds = 10
        /// The bytes from a peer: a browser sends under 3 KB, and some flights may come again.
        public var byteCount = 32_768

        public init() {}
    }

    /// The longest datagram: fits every path that carries media (1 200 bytes of payload are usual in WebRTC).
    private static let datagramByteCount: UInt32 = 1_200

    public private(set) var phase = Phase.handshake
    private let connection: OpaquePointer
    private let limits: HandshakeLimits
    /// The SHA-256 digest of the certificate that the peer must have.
    private let peerFingerprint: [UInt8]
    private let start: MonotonicTime
    private var receivedByteCount = 0

    /// - Parameter peerFingerprint: The SHA-256 digest of the certificate that the peer must have.
    /// - Throws: If there is not enough memory.
    public init(
        _ role: Role, as identity: DTLSIdentity, peerFingerprint: [UInt8], limits: HandshakeLimits = .init(),
        at now: MonotonicTime
    ) throws(IdentityFailure) {
        let connection = apus_dtls_connection_make(identity.context, role == .server, Self.datagramByteCount)
        guard let connection else { throw .impossible }
        self.connection = connection
        (self.limits, self.peerFingerprint) = (limits, peerFingerprint)
        start = now
        if role == .client { proceed(apus_dtls_receive(connection, nil, 0)) }
        setDeadline(at: now)
    }

    deinit {
        apus_dtls_connection_free(connection)
    }

    /// When to call ``deadlinePassed(at:)``; `nil` if nothing is due.
    public private(set) var nextDeadline: MonotonicTime?

    /// Processes a datagram of the peer.
    public func received(_ datagram: RawSpan, at now: MonotonicTime) {
        guard isOpen, datagram.byteCount > 0 else { return }
        if phase == .handshake {
            receivedByteCount += datagram.byteCount
            guard receivedByteCount <= limits.byteCount else {
                return fail(.handshakeTooLong(byteCount: limits.byteCount))
            }
        }
        proceed(
            datagram.withUnsafeBytes {
                apus_dtls_receive(connection, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
            })
        setDeadline(at: now)
    }

    /// Sends the last flight again if that is due, and fails a handshake that takes too long.
    public func deadlinePassed(at now: MonotonicTime) {
        guard let nextDeadline, now >= nextDeadline, isOpen else { return }
        if phase == .handshake, now >= start.advanced(byMilliseconds: Int64(limits.seconds) &* 1000) {
            return fail(.handshakeTooSlow(seconds: limits.seconds))
        }
        proceed(apus_dtls_retransmit(connection))
        setDeadline(at: now)
    }

    /// Says that this end sends no more.
    public func close() { apus_dtls_close(connection) }

    /// Passes each pending datagram to `send`. Its bytes are valid during the call.
    public func takeOutput(_ send: (UnsafeRawBufferPointer) -> Void) {
        var count = 0
        while let datagram = apus_dtls_output(connection, &count) {
            send(UnsafeRawBufferPointer(start: datagram, count: count))
            apus_dtls_sent(connection)
        }
    }

    private var isOpen: Bool {
        switch phase {
        case .handshake, .established: true
        case .ended, .failed: false
        }
    }

    private func proceed(_ outcome: apus_dtls_outcome) {
        if phase == .handshake, outcome != apus_dtls_has_failed, apus_dtls_is_established(connection) { establish() }
        switch outcome {
        case apus_dtls_has_ended where isOpen: phase = .ended
        case apus_dtls_has_failed:
            let reason = String(cString: apus_dtls_failure(connection))
            fail(phase == .handshake ? .handshake(reason) : .connection(reason))
        default: break
        }
    }

    /// Compares the fingerprint of the peer's certificate and takes the keys, after the handshake.
    private func establish() {
        var digest = [UInt8](repeating: 0, count: 32)
        guard apus_dtls_peer_fingerprint(connection, &digest), digest == peerFingerprint else {
            return fail(.untrusted("it has another fingerprint than its session description", fingerprint: digest))
        }
        guard let profile = DTLSKeys.Profile(rawValue: apus_dtls_srtp_profile(connection)) else {
            return fail(.handshake("the peer offers no usable SRTP profile"))
        }
        var material = [UInt8](repeating: 0, count: DTLSKeys.byteCount(profile))
        guard apus_dtls_export_keys(connection, &material, material.count) else {
            return fail(.handshake("OpenSSL exports no keys"))
        }
        phase = .established(DTLSKeys(profile, material: material))
    }

    private func fail(_ failure: TLSFailure) {
        phase = .failed(failure)
        nextDeadline = nil
    }

    private func setDeadline(at now: MonotonicTime) {
        guard isOpen else { return nextDeadline = nil }
        let timeout = apus_dtls_timeout(connection)
        var next = timeout < 0 ? nil : MonotonicTime?.some(now + max(1_000, timeout * 1_000))
        if phase == .handshake {
            let end = start.advanced(byMilliseconds: Int64(limits.seconds) &* 1000)
            next = min(next ?? end, end)
        }
        nextDeadline = next
    }
}
