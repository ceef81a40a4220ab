import Delivery
import Media
import RTSP
import Reactor
import TLS

/// One RTSP connection bound to its socket: the machine, its output, its sessions. Confined to its loop.
final class Connection {
    let token: Token
    let peer: SocketAddress
    let local: SocketAddress
    let output: TCPOutput
    var machine: ServerConnection
    var sessions: [SessionID: Session] = [:]
    /// What others call it who decide about it: nobody can foresee it.
    private(set) lazy var name = Self.randomName()
    /// The keys that its client was told.
    var announcedKeys = AnnouncedKeys()
    /// What the client calls itself, for the log.
    var userAgent: String?
    /// Why it ends, once that is known: what is still to be written goes out first.
    var closing: CloseReason?
    /// Whether the client's direction has ended, or the socket failed: nothing is left to be read.
    var hasPeerEnded = false
    /// What the loop watches its socket for.
    var interest: Interest = .read
    /// Whether it counts as an unfinished TLS handshake.
    var isHandshakeCounted: Bool
    /// Whether it is in the loop's list of connections that are behind.
    var isListedBehind = false
    /// Whether the loop looks at it at the end of the turn.
    var isTouched = false
    /// Why it was last not let by: told once, however often a client tries the same again, as GStreamer does.
    var lastRefusal: AccessFailure?
    /// When a session of it last began to play.
    private var lastJoin: MonotonicTime?
    /// What the log says of its sessions' coming and going: not all of it, where a client plays and pauses all the time.
    var activityLog = LogBudget(burst: 8, interval: 10_000_000_000)

    /// - Parameter tls: what protects it; `nil` where nothing does.
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

    /// As UUIDs are written (RFC 9562, version 4).
    private static func randomName() -> String {
        let numbers: [UInt16] = (0..<8).map { _ in .random(in: .min ... .max) }
        let words = numbers.enumerated().map { index, number in
            let number = index == 3 ? number & 0xFFF | 0x4000 : index == 4 ? number & 0x3FFF | 0x8000 : number
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
        return "\(words[0])\(words[1])-\(words[2])-\(words[3])-\(words[4])-\(words[5...].joined())"
    }

    /// When its handshake, or its machine, is to be looked at.
    var nextDeadline: MonotonicTime? {
        [output.tls?.nextDeadline, machine.nextDeadline].compactMap(\.self).min()
    }

    /// Between two joins that both get their history packaged, in nanoseconds.
    private static let joinInterval: Int64 = 500_000_000

    /// A session begins to play; false where one has just done so: after each picture a prelude is packaged anew, up to a
    /// megabyte of it, and whoever asks for one after the other is not to cost the loop its time.
    func allowsFastStart(at now: MonotonicTime) -> Bool {
        defer { lastJoin = now }
        return lastJoin.map { now - $0 >= Self.joinInterval } ?? true
    }

    /// Whether messages that have been received can be handled now: not while replies wait.
    func canGoOn(maximumPendingReplyBytes: Int) -> Bool {
        machine.hasUnprocessedMessages && closing == nil && output.pendingByteCount < maximumPendingReplyBytes
    }

    /// What the socket should be watched for: requests wait while replies do.
    func wantedInterest(maximumPendingReplyBytes: Int) -> Interest {
        var wanted: Interest = []
        if closing == nil, machine.wantsBytes, output.pendingByteCount < maximumPendingReplyBytes {
            wanted.insert(.read)
        }
        if output.isBlocked { wanted.insert(.write) }
        return wanted
    }
}
