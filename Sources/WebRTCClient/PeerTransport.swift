import Media
import RTP
import SRTP
import TLS
import WebRTC

/// The client's end of a WebRTC transport: it finds a path by ICE, shakes hands by DTLS, and opens and seals the packets of SRTP. A state
/// machine from datagrams to datagrams. Confined to its owner's thread.
///
/// Protocol of use: after each call, send what ``takeOutput(_:)`` returns; then wait for a datagram or ``nextDeadline``. The server's
/// candidates are named by their index.
///
/// ```
/// checking ──a candidate answers──▶ handshaking ──keys──▶ established ──▶ ended
///     └──────────────────────────────────┴─────────────────────┴────────▶ failed
/// ```
public final class PeerTransport {
    public enum Phase {
        case checking
        case handshaking
        case established
        /// The server has closed the DTLS connection.
        case ended
        case failed(Failure)
    }

    public enum Failure: Error {
        /// ICE has found no path, or has lost it.
        case expired(ICEConnector.Expiry)
        case handshake(TLSFailure)
        /// The handshake cannot begin.
        case identity(IdentityFailure)
        /// The handshake has made no keys, or SRTP cannot use them.
        case noKeys
    }

    public private(set) var phase = Phase.checking
    /// The keys of both ends; `nil` before the handshake is complete.
    public private(set) var keys: TransportKeys?
    private let identity: DTLSIdentity
    private let role: DTLSConnection.Role
    private let fingerprint: [UInt8]
    private var connector: ICEConnector
    private var dtls: DTLSConnection?
    private var incoming: IncomingProtection?
    private var outgoing: OutgoingReports?
    private var output: [(datagram: [UInt8], candidate: Int)] = []

    /// The server's end, as its answer describes it.
    public struct Peer: Sendable {
        public var credentials: ICECredentials
        public var fingerprint: [UInt8]
        public var role: DTLSRole
        public var candidateCount: Int

        /// - Parameter candidateCount: of the candidates that this host can reach.
        public init(_ answer: ReceivedAnswer, candidateCount: Int) {
            (credentials, fingerprint, role) = (answer.credentials, answer.fingerprint, answer.role)
            self.candidateCount = candidateCount
        }
    }

    /// - Parameters:
    ///   - identity: this end of DTLS; the offer has its fingerprint.
    ///   - credentials: those of the offer.
    public init(
        as identity: DTLSIdentity, _ credentials: ICECredentials, to peer: Peer, at now: MonotonicTime
    ) {
        var random = SystemRandomNumberGenerator()
        (self.identity, fingerprint) = (identity, peer.fingerprint)
        role = peer.role == .client ? .client : .server
        connector = ICEConnector(
            local: credentials, remote: peer.credentials, candidateCount: peer.candidateCount,
            tieBreaker: random.next(), transaction: STUNTransaction(high: random.next(), low: random.next()), at: now)
    }

    /// The shortest time from a connectivity check to its answer, in nanoseconds.
    public var shortestRoundTrip: Int64? { connector.shortestRoundTrip }

    /// Packets that were forged, or encrypted with another key.
    public var failureCount: Int64 { incoming?.failureCount ?? 0 }

    /// The bytes that protection adds to each RTP packet.
    public var overhead: Int { keys.map { $0.peer.suite.tagByteCount + $0.peer.identifier.count } ?? 0 }

    /// When to call ``deadlinePassed(at:)``.
    public var nextDeadline: MonotonicTime {
        isOpen ? min(connector.nextDeadline, dtls?.nextDeadline ?? .distantFuture) : .distantFuture
    }

    private var isOpen: Bool {
        switch phase {
        case .checking, .handshaking, .established: true
        case .ended, .failed: false
        }
    }

    /// Repeats what was not answered.
    public func deadlinePassed(at now: MonotonicTime) {
        guard isOpen else { return }
        if connector.nextDeadline <= now {
            perform(connector.deadlinePassed(at: now, authenticate: Self.authentication), at: now)
        }
        guard let dtls else { return }
        dtls.deadlinePassed(at: now)
        proceed(dtls)
    }

    /// Handles a datagram from a candidate.
    ///
    /// - Parameter address: that of the candidate.
    /// - Returns: the kind of the datagram if it is for the caller: RTP or RTCP, which ``opened(_:)`` decrypts.
    public func received(
        _ datagram: RawSpan, from candidate: Int, at address: TransportAddress, at now: MonotonicTime
    ) -> DatagramKind? {
        guard isOpen, let kind = DatagramKind(datagram) else { return nil }
        switch kind {
        case .stun:
            guard let message = STUNMessage(parsing: datagram) else { return nil }
            let orders = connector.received(
                message, in: datagram, from: candidate, at: address, at: now, authenticate: Self.authentication)
            perform(orders, at: now)
            return nil
        case .dtls:
            guard let dtls else { return nil }
            dtls.received(datagram, at: now)
            proceed(dtls)
            return nil
        // Packets that overtake the end of the handshake cannot be opened; they are lost.
        case .rtp, .rtcp: return keys == nil ? nil : kind
        }
    }

    /// The decrypted packet, which is valid until the next call; `nil` if it is forged or a replay.
    @_lifetime(borrow self)
    public func opened(_ datagram: RawSpan) -> RawSpan? {
        guard let incoming, let plain = incoming.opened(datagram) else { return nil }
        return _overrideLifetime(plain, borrowing: self)
    }

    /// An RTCP packet as it is sent; `nil` before the keys are known.
    public func sealed(_ report: [UInt8]) -> [UInt8]? { outgoing?.sealed(report) }

    /// Sends an RTCP packet.
    public func send(_ report: [UInt8]) {
        if let sealed = sealed(report) { send(datagram: sealed) }
    }

    /// Sends bytes as they are, over the selected path.
    public func send(datagram: [UInt8]) {
        if let candidate = connector.selected { output.append((datagram, candidate)) }
    }

    /// Closes the DTLS connection.
    public func close() {
        dtls?.close()
        if let dtls { flush(dtls) }
    }

    /// Passes each datagram to send, and the candidate to which it goes.
    public func takeOutput(_ send: (_ datagram: [UInt8], _ candidate: Int) -> Void) {
        for (datagram, candidate) in output { send(datagram, candidate) }
        output.removeAll(keepingCapacity: true)
    }

    private static let authentication: MessageAuthentication = { HMACSHA1.code(of: $0, key: $1) }

    private func perform(_ orders: [ICEConnector.Order], at now: MonotonicTime) {
        for order in orders {
            switch order {
            case .send(let datagram, let candidate): output.append((datagram, candidate))
            case .select: beginHandshake(at: now)
            case .expire(let expiry): phase = .failed(.expired(expiry))
            }
        }
    }

    private func beginHandshake(at now: MonotonicTime) {
        do throws(IdentityFailure) {
            let dtls = try DTLSConnection(role, as: identity, peerFingerprint: fingerprint, at: now)
            (self.dtls, phase) = (dtls, .handshaking)
            flush(dtls)
        } catch {
            phase = .failed(.identity(error))
        }
    }

    private func proceed(_ dtls: DTLSConnection) {
        flush(dtls)
        switch dtls.phase {
        case .handshake: break
        case .established(let keys): if self.keys == nil { establish(keys) }
        case .ended: phase = .ended
        case .failed(let failure): phase = .failed(.handshake(failure))
        }
    }

    private func establish(_ keys: DTLSKeys) {
        guard let keys = TransportKeys(keys, as: role), let incoming = try? IncomingProtection(SenderKey(keys.peer)),
            let outgoing = try? OutgoingReports(keys.own)
        else { return phase = .failed(.noKeys) }
        (self.keys, self.incoming, self.outgoing, phase) = (keys, incoming, outgoing, .established)
    }

    private func flush(_ dtls: DTLSConnection) { dtls.takeOutput { send(datagram: [UInt8]($0)) } }
}
