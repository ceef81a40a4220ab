import Delivery
import Media
import RTSP
import Reactor
import TLS

/// One RTSP connection bound to its socket: the state machine, its output, its sessions. Confined to its loop.
final class Connection {
    let token: Token
    let peer: SocketAddress
    let local: SocketAddress
    let output: TCPOutput
    var machine: ServerConnection
    var sessions: [SessionID: ViewerSession] = [:]
    /// Its name for the external authoriser, which cannot be guessed.
    private(set) lazy var name = Self.randomName()
    /// The SRTP keys that were sent to its client.
    var announcedKeys = AnnouncedKeys()
    /// The client's `User-Agent`, for the log.
    var userAgent: String?
    /// Why it closes, once that is known. Pending output is sent first.
    var closing: CloseReason?
    /// Whether the client has ended its direction, or the socket failed: nothing is left to read.
    var hasPeerEnded = false
    /// The events that the loop watches its socket for.
    var interest: Interest = .read
    /// Whether it counts as an unfinished TLS handshake.
    var isHandshakeCounted: Bool
    /// Whether it is in the loop's list of connections with unprocessed messages.
    var isListedBacklogged = false
    /// Whether the loop updates it at the end of the turn.
    var isTouched = false
    /// The last logged refusal. It is logged once, even if a client repeats the request, as GStreamer does.
    var lastRefusal: AccessFailure?
    /// Whether a request without a user and password was refused, and no later request was accepted.
    var isMissingCredentials = false
    /// When one of its sessions last began to play.
    private var lastJoin: MonotonicTime?
    /// Limits the log messages about its sessions, in case a client plays and pauses all the time.
    var activityLog = LogRateLimiter(burst: 8, interval: 10_000_000_000)

    /// - Parameter tls: the TLS connection, if any.
    init(
        token: Token, socket: consuming TCPSocket, tls: TLSConnection?, peer: SocketAddress, local: SocketAddress,
        configuration: ServerConnection.Configuration, admission: Admission, at now: MonotonicTime
    ) {
        self.token = token
        self.peer = peer
        self.local = local
        isHandshakeCounted = tls != nil
        output = TCPOutput(socket: socket, tls: tls, at: now)
        machine = ServerConnection(
            configuration: configuration, access: admission.policy, lockOut: admission.lockOut,
            peer: Endpoint(address: peer.host, isLoopback: peer.isLoopback),
            local: Endpoint(address: local.host, isLoopback: local.isLoopback),
            security: tls == nil ? .clear : .tls, at: now)
    }

    /// A random name in the format of a UUID (RFC 9562, version 4).
    private static func randomName() -> String {
        let numbers: [UInt16] = (0..<8).map { _ in .random(in: .min ... .max) }
        let words = numbers.enumerated().map { index, number in
            let number = index == 3 ? number & 0xFFF | 0x4000 : index == 4 ? number & 0x3FFF | 0x8000 : number
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
        return "\(words[0])\(words[1])-\(words[2])-\(words[3])-\(words[4])-\(words[5...].joined())"
    }

    /// The next deadline of its handshake or its state machine.
    var nextDeadline: MonotonicTime? {
        [output.tls?.nextDeadline, machine.nextDeadline].compactMap(\.self).min()
    }

    /// The minimum time between two joins with a fast start, in nanoseconds.
    private static let joinInterval: Int64 = 500_000_000

    /// Notes that a session begins to play; false if another one has just done so. A fast start of up to a megabyte is packaged
    /// anew after each frame, so a client that plays again and again must not cost the loop its time.
    func allowsFastStart(at now: MonotonicTime) -> Bool {
        defer { lastJoin = now }
        return lastJoin.map { now - $0 >= Self.joinInterval } ?? true
    }

    /// Whether messages that have been received can be processed now: not while too many replies wait.
    func canContinue(maximumPendingReplyBytes: Int) -> Bool {
        machine.hasUnprocessedMessages && closing == nil && output.pendingByteCount < maximumPendingReplyBytes
    }

    /// The events to watch the socket for. No requests are read while too many replies wait.
    func wantedInterest(maximumPendingReplyBytes: Int) -> Interest {
        var wanted: Interest = []
        if closing == nil, machine.wantsBytes, output.pendingByteCount < maximumPendingReplyBytes {
            wanted.insert(.read)
        }
        if output.isBlocked { wanted.insert(.write) }
        return wanted
    }
}
