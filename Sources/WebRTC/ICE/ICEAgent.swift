import Media

/// The server's side of ICE for one session, in its "lite" form: it waits for the checks of the peer, answers them, and learns from them
/// over which paths the peer can be reached (RFC 8445, sections 2.5 and 7.3).
///
/// Only a check with valid integrity has an effect. A check with invalid integrity is not answered, because the answer would go to its
/// source address, which may be forged.
///
/// The peer itself can forge the source of a check. On the first path, the DTLS handshake proves that the peer receives what is sent to it.
/// Every other path is checked by the server: media go there only after the peer has answered a random number that was sent there alone
/// (docs/decisions/073).
///
/// | event | effect |
/// |---|---|
/// | first valid check of a path | the path is adopted; the first of the session is selected |
/// | valid check of a path that is neither selected nor validated | the server checks the path, too |
/// | valid answer to the server's check | the path is validated, and selected if it was nominated last, or if none is selected |
/// | valid check with USE-CANDIDATE of a validated path | the path is selected |
/// | valid check from the other controlled side | 487 |
/// | valid check with an unknown required attribute | 420 |
/// | too many paths | the one that was checked the longest time ago, and is not selected, is forgotten |
/// | no check of a path for 30 s | the path is forgotten; another is selected, if one is validated |
/// | another session has taken over a path | as above |
/// | no path left, or none within 10 s | the session expires |
///
/// `Path` is the caller's name of a 4-tuple: a socket or connection, and the peer's address.
public struct ICEAgent<Path: Hashable & Sendable>: Sendable {
    public let credentials: ICECredentials
    private let remote: ICECredentials
    /// Where DTLS and media go: the validated path that was nominated last, or the first one before any is; `nil` before the first valid
    /// check, and if the selected path is gone and no other is validated.
    public private(set) var selectedPath: Path?
    /// The path that was nominated last, validated or not.
    private var nominatedPath: Path?
    /// The paths of the session, at most ``maximumPathCount``.
    private var paths: [KnownPath] = []
    private let start: MonotonicTime
    /// When the last valid check of any path came.
    private var lastCheck: MonotonicTime?
    private var isExpired = false

    private struct KnownPath {
        let path: Path
        var lastCheck: MonotonicTime
        /// Names the server's check of the path. Only a peer that receives at the path knows it.
        let transaction: STUNTransaction
        /// Whether the peer has answered the server's check.
        var isValidated = false
    }

    /// - Parameter remote: the peer's credentials.
    public init(credentials: ICECredentials, remote: ICECredentials, at now: MonotonicTime) {
        (self.credentials, self.remote, start) = (credentials, remote, now)
    }

    /// As many as mediasoup keeps: a computer has a few addresses, each with UDP and TCP.
    public static var maximumPathCount: Int { 8 }
    /// How long a session waits for its first check. The peer checks at once, and repeats its checks for some seconds.
    static var firstCheckSeconds: Int64 { 10 }
    /// How long the peer's consent lasts (RFC 7675, section 5.1).
    static var consentSeconds: Int64 { 30 }
    /// How long after a check a path stays reserved for its session. Clients check every 2.5 to 6 s, so one check may be lost.
    static var reservationSeconds: Int64 { 15 }

    /// Whether datagrams on this path belong to the session.
    public func owns(_ path: Path) -> Bool { paths.contains { $0.path == path } }

    /// Whether no other session may take over this path: the peer has checked it a short time ago, and it is selected or validated. The
    /// source of checks of another path may be forged.
    public func reserves(_ path: Path, at now: MonotonicTime) -> Bool {
        guard let index = index(of: path), path == selectedPath || paths[index].isValidated else { return false }
        return now < paths[index].lastCheck.advanced(byMilliseconds: Self.reservationSeconds * 1_000)
    }

    /// When to call ``deadlinePassed(at:)``.
    public var nextDeadline: MonotonicTime {
        guard !isExpired else { return .distantFuture }
        // If the last path has been closed, its peer may still come back over another one.
        guard let oldest = paths.lazy.map(\.lastCheck).min() ?? lastCheck else {
            return start.advanced(byMilliseconds: Self.firstCheckSeconds * 1_000)
        }
        return oldest.advanced(byMilliseconds: Self.consentSeconds * 1_000)
    }

    /// Handles a check whose USERNAME names this session, or an answer that came over one of its paths.
    ///
    /// - Parameters:
    ///   - datagram: the bytes from which the message was parsed.
    ///   - address: where the message came from.
    ///   - transaction: a random number, which names the server's check of a new path.
    public mutating func received(
        _ message: STUNMessage, in datagram: RawSpan, from path: Path, at address: TransportAddress,
        transaction: STUNTransaction, at now: MonotonicTime, authenticate: MessageAuthentication
    ) -> [ICEOrder<Path>] {
        guard !isExpired, message.method == STUNMessage.binding else { return [] }
        switch message.kind {
        case .request:
            let key = [UInt8](credentials.password.utf8)
            guard message.localFragment == credentials.userFragment,
                message.isAuthentic(in: datagram, key: key, authenticate: authenticate)
            else { return [] }
            let answer = Self.answer(to: message, from: address)
            let reply = ICEOrder.send(answer.encoded(key: key, authenticate: authenticate), path)
            guard answer.kind == .success else { return [reply] }
            return [reply] + checked(path, by: message, transaction, at: now)
                + check(path, after: message, authenticate)
        case .success:
            // A STUN server at a forged address answers, too, but without the integrity.
            let key = [UInt8](remote.password.utf8)
            guard let index = index(of: path), paths[index].transaction == message.transaction,
                message.isAuthentic(in: datagram, key: key, authenticate: authenticate)
            else { return [] }
            paths[index].isValidated = true
            return selectedPath == nil || nominatedPath == path ? select(path) : []
        case .error, .indication: return []
        }
    }

    // MARK: Checks of the server

    /// Checks a path. Checks of the peer repeat it until it is answered.
    private func check(
        _ path: Path, after message: STUNMessage, _ authenticate: MessageAuthentication
    ) -> [ICEOrder<Path>] {
        guard path != selectedPath, let index = index(of: path), !paths[index].isValidated,
            // Then the check is about as long as the peer's, and amplifies nothing.
            message.attributes.contains(.userName(STUNMessage.userName(checking: credentials, by: remote)))
        else { return [] }
        // With the lowest tie-breaker, a peer that believes to be controlled becomes the controlling one (RFC 8445, section 7.3.1.1).
        let check = STUNMessage(checkOf: remote, by: credentials, paths[index].transaction, role: .controlled(0))
        return [.send(check.encoded(key: [UInt8](remote.password.utf8), authenticate: authenticate), path)]
    }

    private mutating func select(_ path: Path) -> [ICEOrder<Path>] {
        guard path != selectedPath else { return [] }
        selectedPath = path
        return [.select(path)]
    }

    private func index(of path: Path) -> Int? { paths.firstIndex { $0.path == path } }

    // MARK: Checks of the peer

    private static func answer(to message: STUNMessage, from address: TransportAddress) -> STUNMessage {
        let unknown = message.attributes.compactMap { attribute -> UInt16? in
            if case .other(let type, _) = attribute, STUNAttribute.mustBeKnown(type) { type } else { nil }
        }
        var answer = STUNMessage(.error, transaction: message.transaction)
        if !unknown.isEmpty {
            answer.attributes = [
                .errorCode(420, reason: "Unknown Attribute"),
                // The answer stays smaller than the request.
                .unknownAttributes(Array(unknown.prefix(4))),
            ]
        } else if message.isFromControlledAgent {
            // A lite agent is always controlled (RFC 8445, section 6.1.1).
            answer.attributes = [.errorCode(487, reason: "Role Conflict")]
        } else {
            answer.kind = .success
            answer.attributes = [.mappedAddress(address)]
        }
        return answer
    }

    private mutating func checked(
        _ path: Path, by message: STUNMessage, _ transaction: STUNTransaction, at now: MonotonicTime
    ) -> [ICEOrder<Path>] {
        let isFirst = lastCheck == nil
        lastCheck = max(lastCheck ?? now, now)
        var orders: [ICEOrder<Path>] = []
        var isValidated = false
        if let index = index(of: path) {
            paths[index].lastCheck = max(paths[index].lastCheck, now)
            isValidated = paths[index].isValidated
        } else {
            orders += forgetOldest().map { [.forget($0)] } ?? []
            paths.append(KnownPath(path: path, lastCheck: now, transaction: transaction))
            orders.append(.adopt(path))
        }
        let isNominated = message.attributes.contains(.useCandidate)
        if isNominated { nominatedPath = path }
        if isFirst || isNominated && isValidated { orders += select(path) }
        return orders
    }

    /// Makes room for another path.
    private mutating func forgetOldest() -> Path? {
        guard paths.count >= Self.maximumPathCount else { return nil }
        let others = paths.indices.filter { paths[$0].path != selectedPath }
        return others.min { paths[$0].lastCheck < paths[$1].lastCheck }.map { paths.remove(at: $0).path }
    }

    /// Forgets a path whose TCP connection has ended. The peer may check another one.
    public mutating func closed(_ path: Path) -> [ICEOrder<Path>] {
        forget { $0.path == path }
    }

    /// Forgets a path that another session has taken over.
    public mutating func lost(_ path: Path) -> [ICEOrder<Path>] {
        let wasSelected = path == selectedPath
        let orders = forget { $0.path == path }
        // Nothing more may be sent to the other session's peer.
        return wasSelected && paths.isEmpty ? orders + [.suspend] : orders
    }

    /// Forgets the paths that are silent, and expires the session if there is none left.
    public mutating func deadlinePassed(at now: MonotonicTime) -> [ICEOrder<Path>] {
        guard now >= nextDeadline else { return [] }
        let orders = forget { $0.lastCheck.advanced(byMilliseconds: Self.consentSeconds * 1_000) <= now }
        guard paths.isEmpty else { return orders }
        isExpired = true
        return orders + [
            .expire(
                lastCheck == nil
                    ? .noCheck(seconds: Self.firstCheckSeconds) : .noConsent(seconds: Self.consentSeconds))
        ]
    }

    /// Forgets paths. If the selected one is among them, selects the validated one that was checked last.
    private mutating func forget(where isGone: (KnownPath) -> Bool) -> [ICEOrder<Path>] {
        var orders = paths.filter(isGone).map { ICEOrder.forget($0.path) }
        paths.removeAll(where: isGone)
        guard let selectedPath, !owns(selectedPath) else { return orders }
        let next = paths.filter(\.isValidated).max { $0.lastCheck < $1.lastCheck }?.path
        self.selectedPath = next
        if let next { orders.append(.select(next)) } else if !paths.isEmpty { orders.append(.suspend) }
        return orders
    }
}

extension STUNMessage {
    fileprivate var isFromControlledAgent: Bool {
        attributes.contains { if case .controlled = $0 { true } else { false } }
    }
}
