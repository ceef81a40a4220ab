import Media

/// The server's side of ICE for one session, in its "lite" form: it waits for the checks of the peer, answers them, and learns from them
/// over which paths the peer can be reached (RFC 8445, sections 2.5 and 7.3).
///
/// Only a check with valid integrity has an effect. A check with invalid integrity is not answered, because the answer would go to its
/// source address, which may be forged.
///
/// | event | effect |
/// |---|---|
/// | first valid check of a path | the path is adopted; the first of the session is selected |
/// | valid check with USE-CANDIDATE | the path is selected |
/// | valid check from the other controlled side | 487 |
/// | valid check with an unknown required attribute | 420 |
/// | too many paths | the one that was checked the longest time ago, and is not selected, is forgotten |
/// | no check of a path for 30 s | the path is forgotten; another is selected |
/// | no path left, or none within 10 s | the session expires |
///
/// `Path` is the caller's name of a 4-tuple: a socket or connection, and the peer's address.
public struct ICEAgent<Path: Hashable & Sendable>: Sendable {
    public let credentials: ICECredentials
    /// Where DTLS and media go: the path that was nominated last, or the first one before any is; `nil` before the first valid check.
    public private(set) var selectedPath: Path?
    /// The paths of the session, at most ``maximumPathCount``.
    private var paths: [KnownPath] = []
    private let start: MonotonicTime
    /// When the last valid check of any path came.
    private var lastCheck: MonotonicTime?
    private var isExpired = false

    private struct KnownPath {
        let path: Path
        var lastCheck: MonotonicTime
    }

    public init(credentials: ICECredentials, at now: MonotonicTime) {
        (self.credentials, start) = (credentials, now)
    }

    /// As many as mediasoup keeps: a computer has a few addresses, each with UDP and TCP.
    public static var maximumPathCount: Int { 8 }
    /// How long a session waits for its first check. The peer checks at once, and repeats its checks for some seconds.
    static var firstCheckSeconds: Int64 { 10 }
    /// How long the peer's consent lasts (RFC 7675, section 5.1).
    static var consentSeconds: Int64 { 30 }

    /// Whether datagrams on this path belong to the session.
    public func owns(_ path: Path) -> Bool { paths.contains { $0.path == path } }

    /// When to call ``deadlinePassed(at:)``.
    public var nextDeadline: MonotonicTime {
        guard !isExpired else { return .distantFuture }
        // If the last path has been closed, its peer may still come back over another one.
        guard let oldest = paths.lazy.map(\.lastCheck).min() ?? lastCheck else {
            return start.advanced(byMilliseconds: Self.firstCheckSeconds * 1_000)
        }
        return oldest.advanced(byMilliseconds: Self.consentSeconds * 1_000)
    }

    /// Handles a message whose USERNAME names this session.
    ///
    /// - Parameters:
    ///   - datagram: the bytes from which the message was parsed.
    ///   - address: where the message came from.
    public mutating func received(
        _ message: STUNMessage, in datagram: RawSpan, from path: Path, at address: TransportAddress,
        at now: MonotonicTime, authenticate: MessageAuthentication
    ) -> [ICEOrder<Path>] {
        let key = [UInt8](credentials.password.utf8)
        guard !isExpired, message.kind == .request, message.method == STUNMessage.binding,
            message.localFragment == credentials.userFragment,
            message.isAuthentic(in: datagram, key: key, authenticate: authenticate)
        else { return [] }
        let answer = Self.answer(to: message, from: address)
        let reply = ICEOrder.send(answer.encoded(key: key, authenticate: authenticate), path)
        guard answer.kind == .success else { return [reply] }
        return [reply] + checked(path, isNominated: message.attributes.contains(.useCandidate), at: now)
    }

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

    private mutating func checked(_ path: Path, isNominated: Bool, at now: MonotonicTime) -> [ICEOrder<Path>] {
        lastCheck = max(lastCheck ?? now, now)
        var orders: [ICEOrder<Path>] = []
        if let index = paths.firstIndex(where: { $0.path == path }) {
            paths[index].lastCheck = max(paths[index].lastCheck, now)
        } else {
            orders += forgetOldest().map { [.forget($0)] } ?? []
            paths.append(KnownPath(path: path, lastCheck: now))
            orders.append(.adopt(path))
        }
        if selectedPath == nil || isNominated && selectedPath != path {
            selectedPath = path
            orders.append(.select(path))
        }
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

    /// Forgets paths, and selects the one that was checked last if the selected one is among them.
    private mutating func forget(where isGone: (KnownPath) -> Bool) -> [ICEOrder<Path>] {
        var orders = paths.filter(isGone).map { ICEOrder.forget($0.path) }
        paths.removeAll(where: isGone)
        if let selectedPath, !owns(selectedPath) {
            let next = paths.max { $0.lastCheck < $1.lastCheck }?.path
            self.selectedPath = next
            if let next { orders.append(.select(next)) }
        }
        return orders
    }
}

extension STUNMessage {
    fileprivate var isFromControlledAgent: Bool {
        attributes.contains { if case .controlled = $0 { true } else { false } }
    }
}
