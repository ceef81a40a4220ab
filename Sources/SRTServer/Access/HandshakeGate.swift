import Delivery
import Media
import RTSP
import Reactor
import SRT
import Streams
import Synchronization

/// Decides about handshakes on libsrt's receiving thread, without waiting: nothing here waits for an event loop, the thread of SRT or the
/// external service. Thread-safe.
///
/// A caller that is accepted may still fail, because its passphrase is wrong, and libsrt does not say so. So each accepted handshake
/// is kept until it has become a connection (``connected(_:)``) or is gone (``takeFailed(at:isGone:)``).
final class HandshakeGate: Sendable {
    private struct Rejected: Hashable {
        let peer: SocketAddress
        let streamID: [UInt8]
    }

    private struct State {
        var accepted: [SRTSocket: Handshake] = [:]
        /// Viewers that are connected, and accepted handshakes of viewers.
        var viewerCount = 0
        /// Rejections of the last seconds: a caller repeats its handshake until it has the answer.
        var rejected: [Rejected: (rejection: SRTRejection, at: MonotonicTime)] = [:]
        var isStopping = false
    }

    /// Handshakes of all addresses that are not finished: each is a socket of libsrt.
    private static let maximumHandshakes = 256
    /// How long a handshake may take, in nanoseconds: as long as callers try.
    private static let handshakeTime: Int64 = 5_000_000_000
    /// How long an accepted socket is not looked at, in nanoseconds: libsrt still works on the handshake.
    private static let settlingTime: Int64 = 50_000_000
    /// How long a rejection is remembered, in nanoseconds, and how many are.
    private static let rejectionTime: Int64 = 3_000_000_000
    private static let maximumRejections = 256

    private let options: ServerOptions
    private let services: any SRTSharedServices
    private let log: ServiceLog
    private let state = Mutex(State())

    init(_ options: ServerOptions, _ services: any SRTSharedServices, _ log: ServiceLog) {
        (self.options, self.services, self.log) = (options, services, log)
    }

    /// Rejects everything from now on, and gives up the unfinished handshakes.
    func stop() {
        let unfinished = state.withLock { state in
            state.isStopping = true
            defer { state.accepted = [:] }
            return state.accepted.values.map(\.self)
        }
        for handshake in unfinished { abandon(handshake) }
    }

    /// A handshake does not become a connection.
    private func abandon(_ handshake: Handshake) {
        if handshake.right == .read { viewerLeft() }
        services.left(handshake.peer)
    }

    // MARK: Deciding

    /// Decides about a handshake.
    ///
    /// - Parameters:
    ///   - socket: becomes the connection; the path's options are set on it.
    ///   - streamID: the bytes of the stream id, with or without zeros at the end.
    /// - Returns: the reason to reject it; `nil` if it is accepted.
    func decide(_ socket: SRTSocket, from peer: SocketAddress, streamID: [UInt8]) -> SRTRejection? {
        let now = MonotonicTime.now()
        let key = Rejected(peer: peer, streamID: streamID)
        if let known = rejection(of: key, at: now) { return known }
        do throws(HandshakeRefusal) {
            try admit(socket, peer, streamID, at: now)
            return nil
        } catch {
            remember(error.rejection, of: key, at: now)
            log.log(
                error.kind, error.kind == .lockOut ? .warning : .notice, "caller rejected", peer: peer,
                reason: error.reason, error.path.map { ["path": "\($0)", "transport": "SRT"] } ?? ["transport": "SRT"],
                at: now)
            return error.rejection
        }
    }

    private func admit(
        _ socket: SRTSocket, _ peer: SocketAddress, _ streamID: [UInt8], at now: MonotonicTime
    ) throws(HandshakeRefusal) {
        try requireRoom(for: peer)
        let (id, path) = try Self.request(streamID)
        if let reason = services.admit(peer, .clear) { throw HandshakeRefusal(.overload, .refusedConnection, reason) }
        do throws(HandshakeRefusal) {
            let handshake = try handshake(id, path, streamID, of: peer, at: now)
            if handshake.right == .read { try admitViewer(path) }
            do throws(SRTFailure) {
                try socket.set(handshake.options)
            } catch {
                if handshake.right == .read { viewerLeft() }
                throw HandshakeRefusal(.unavailable, .refusedConnection, "\(error)", path: path)
            }
            state.withLock { $0.accepted[socket] = handshake }
        } catch {
            services.left(peer)
            throw error
        }
    }

    private func requireRoom(for peer: SocketAddress) throws(HandshakeRefusal) {
        let (isStopping, count, all) = state.withLock { state in
            (state.isStopping, state.accepted.values.count { $0.peer.host == peer.host }, state.accepted.count)
        }
        if isStopping { throw HandshakeRefusal(.unavailable, .refusedConnection, "the server is stopping") }
        guard count < options.handshakesPerAddress, all < Self.maximumHandshakes else {
            let reason = "\(count < options.handshakesPerAddress ? all : count) unfinished handshakes"
            throw HandshakeRefusal(.overload, .refusedConnection, reason)
        }
    }

    private static func request(_ bytes: [UInt8]) throws(HandshakeRefusal) -> (SRTStreamID, path: String) {
        let id: SRTStreamID
        do throws(SRTStreamIDError) {
            id = try SRTStreamID(parsing: bytes)
        } catch {
            throw HandshakeRefusal(error.rejection, .refusedAccess, "\(error)")
        }
        guard id.mode != .bidirectional else {
            throw HandshakeRefusal(.unsupportedMode, .refusedAccess, "a connection either sends or receives media")
        }
        // As in URLs, slashes at either end and repeated ones do not count.
        let parts = (id.path ?? "").split(separator: "/")
        return (id, "/" + parts.joined(separator: "/"))
    }

    private func handshake(
        _ id: SRTStreamID, _ path: String, _ streamID: [UInt8], of peer: SocketAddress, at now: MonotonicTime
    ) throws(HandshakeRefusal) -> Handshake {
        var access = CallerAccess(services, of: peer)
        let right: Right = id.mode == .publish ? .publish : .read
        let granted = try access.authorise(right, path, id, at: now)
        let options = try right == .publish ? publishing(path, id, peer, granted) : reading(path, granted)
        if options.passphrase != nil {
            try access.requireNotLockedOut(at: now)
        } else if let demand = self.options.passphraseDemand {
            let reason = "the path has no srt.passphrase, and \(demand.rawValue)"
            throw HandshakeRefusal(.forbidden, .refusedAccess, reason, path: path)
        }
        return Handshake(
            peer: peer, streamID: streamID, right: right, path: path, access: granted,
            authenticator: access.authenticator,
            options: options, acceptedAt: now)
    }

    private func reading(
        _ path: String, _ access: Handshake.Access
    ) throws(HandshakeRefusal) -> SRTConnectionOptions {
        guard let offered = services.path(at: path), !offered.stream.hasEnded else {
            throw HandshakeRefusal(.notFound, .refusedViewer, noPath(path, access), path: path)
        }
        return offered.connection
    }

    private func publishing(
        _ path: String, _ id: SRTStreamID, _ peer: SocketAddress, _ access: Handshake.Access
    ) throws(HandshakeRefusal) -> SRTConnectionOptions {
        guard let offered = services.path(at: path), offered.stream.path == path else {
            // It is created once the client is connected: a wrong passphrase must create nothing.
            if let options = services.creatablePath(at: path) { return options }
            throw HandshakeRefusal(.notFound, .refusedPublisher, noPath(path, access), path: path)
        }
        guard let point = offered.publishing else {
            throw HandshakeRefusal(.forbidden, .refusedPublisher, "\(path) has a source of its own", path: path)
        }
        // The external service may name another user later; then it is asked again.
        guard case .granted(let grant) = access,
            let refusal = point.refusal(of: .init(user: grant.user, peer: peer, userAgent: nil))
        else { return offered.connection }
        throw HandshakeRefusal(refusal.rejection, .refusedPublisher, refusal.text(path), path: path)
    }

    private func noPath(_ path: String, _ access: Handshake.Access) -> String {
        guard path != "/" else { return "the stream id names no path" }
        guard let nearest = services.nearestPath(to: path), case .granted(let grant) = access,
            grant.admits(.read, nearest)
        else { return "there is no path \(path)" }
        return "there is no path \(path); did you mean \(nearest)?"
    }

    private func admitViewer(_ path: String) throws(HandshakeRefusal) {
        let isAdmitted = state.withLock { state in
            guard state.viewerCount < options.maximumViewers else { return false }
            state.viewerCount += 1
            return true
        }
        guard isAdmitted else {
            let reason = "\(options.maximumViewers) viewers over SRT (srt.viewers)"
            throw HandshakeRefusal(.overload, .refusedViewer, reason, path: path)
        }
        guard services.admitViewer() else {
            state.withLock { $0.viewerCount -= 1 }
            throw HandshakeRefusal(.overload, .refusedViewer, "the server has too many viewers", path: path)
        }
    }

    /// A viewer has left, or its handshake has failed.
    func viewerLeft() {
        state.withLock { $0.viewerCount -= 1 }
        services.viewerLeft()
    }

    // MARK: Rejections

    private func rejection(of key: Rejected, at now: MonotonicTime) -> SRTRejection? {
        state.withLock { state in
            guard let known = state.rejected[key], now - known.at < Self.rejectionTime else { return nil }
            return known.rejection
        }
    }

    private func remember(_ rejection: SRTRejection, of key: Rejected, at now: MonotonicTime) {
        state.withLock { state in
            if state.rejected.count >= Self.maximumRejections {
                state.rejected = state.rejected.filter { now - $0.value.at < Self.rejectionTime }
            }
            // Repeated handshakes are then decided again, and count again.
            guard state.rejected.count < Self.maximumRejections else { return }
            state.rejected[key] = (rejection, now)
        }
    }

    // MARK: What becomes of accepted handshakes

    /// A handshake has become a connection.
    ///
    /// - Returns: `nil` if it has taken too long; then the connection is to be closed.
    func connected(_ socket: SRTSocket) -> Handshake? {
        state.withLock { $0.accepted.removeValue(forKey: socket) }
    }

    /// Whether handshakes are unfinished.
    var hasUnfinished: Bool { state.withLock { !$0.accepted.isEmpty } }

    /// Gives up the handshakes that have failed, and counts wrong passphrases.
    func giveUpFailed(at now: MonotonicTime) {
        for (socket, handshake) in takeFailed(at: now) {
            defer { abandon(handshake) }
            guard socket.state == .gone, handshake.options.passphrase != nil else {
                log.debug("handshake not finished", peer: handshake.peer, reason: "the caller has gone")
                continue
            }
            // A caller that has not heard the answer repeats its handshake; that is no second guess.
            let key = Rejected(peer: handshake.peer, streamID: handshake.streamID)
            guard rejection(of: key, at: now) == nil else { continue }
            remember(.unauthorized, of: key, at: now)
            let isLockedOut = CallerAccess(services, of: handshake.peer).countGuess(at: now)
            log.log(
                isLockedOut ? .lockOut : .refusedAccess, isLockedOut ? .warning : .notice, "caller rejected",
                peer: handshake.peer,
                reason: isLockedOut
                    ? "address locked out: too many wrong passwords"
                    : "wrong passphrase, or none, for \(handshake.path)",
                ["path": "\(handshake.path)", "transport": "SRT"], at: now)
        }
    }

    private func takeFailed(at now: MonotonicTime) -> [(SRTSocket, Handshake)] {
        let waiting = state.withLock { state in
            state.accepted.filter { now - $0.value.acceptedAt > Self.settlingTime }
        }
        let failed = waiting.filter { socket, handshake in
            now - handshake.acceptedAt > Self.handshakeTime || socket.state == .gone
        }
        guard !failed.isEmpty else { return [] }
        // Some may have become connections meanwhile.
        return state.withLock { state in
            failed.keys.compactMap { socket in state.accepted.removeValue(forKey: socket).map { (socket, $0) } }
        }
    }
}

extension PublishingPoint.Refusal {
    /// What the caller is told.
    var rejection: SRTRejection {
        switch self {
        case .publishedBy: .conflict
        case .closed: .notFound
        }
    }

    func text(_ path: String) -> String {
        switch self {
        case .publishedBy(let host): "published by \(host)"
        case .closed: "there is no path \(path)"
        }
    }
}
