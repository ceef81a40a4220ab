import TestSupport

/// What somebody tries against a server that others watch.
///
/// The guard is the one place that stands in its way: without it, `act` throws.
struct Attack: Sendable {
    /// A place in the server's sources.
    struct Guard: Hashable, Sendable {
        /// Below `Sources`.
        let file: String
        /// A text of that file: the condition, or what is done where it does not hold.
        let text: String

        init(_ file: String, _ text: String) {
            (self.file, self.text) = (file, text)
        }
    }

    /// Against which servers it can be tried.
    enum Scope: Sendable {
        case all
        /// With users in the configuration.
        case users
        /// Through TLS, or not so.
        case tls, clear
        case usersInTheClear
        /// With a web server that decides, and on no other.
        case callback
    }

    /// Whether it is over at once.
    enum Length: Sendable {
        case brief
        /// It waits for a deadline of the server's, beside others that do.
        case patient
    }

    let name: String
    let obstacle: Guard
    /// What is seen of it.
    let answer: String
    let scope: Scope
    let length: Length
    /// Tries it. On a thread of its own, so it may block.
    ///
    /// - Throws: `Breach` where the guard did not hold.
    let act: @Sendable (Target) throws -> Void

    init(
        _ name: String, _ file: String, _ text: String, _ answer: String, _ scope: Scope = .all,
        _ length: Length = .brief, _ act: @escaping @Sendable (Target) throws -> Void
    ) {
        self.name = name
        obstacle = Guard(file, text)
        self.answer = answer
        self.scope = scope
        self.length = length
        self.act = act
    }

    /// All, in the order of the table in docs/abuse.md.
    static let groups: [(title: String, attacks: [Attack])] = [
        ("Grammar", grammar), ("Requests", requests), ("Sessions", sessions), ("Transports", transports),
        ("Keys", keys), ("Interleaving", interleaving), ("Datagrams", datagrams), ("Who asks", authentication),
        ("What a password is proved with", digests), ("Handshakes", handshakes), ("Limits", limits),
    ]

    static var all: [Attack] { groups.flatMap(\.attacks) }

    func isFor(_ setting: Setting) -> Bool {
        guard setting.decision != .callback || scope == .callback else { return false }
        return switch scope {
        case .all: true
        case .users: setting.hasUsers
        case .tls: setting.isEncrypted
        case .clear: !setting.isEncrypted
        case .usersInTheClear: setting.hasUsers && !setting.isEncrypted
        case .callback: setting.decision == .callback
        }
    }
}

/// A guard that did not hold.
struct Breach: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: `Breach` where `condition` does not hold.
func hold(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Breach(description: description()) }
}

extension RTSPSocket {
    /// The next answer.
    ///
    /// - Throws: `Breach` where it has another status, or does not come.
    @discardableResult
    func expect(_ status: Int, within seconds: Double = 5) throws -> Response {
        guard let response = response(within: seconds) else {
            throw Breach(description: "no answer, where \(status) was due\(isClosed ? ": closed" : "")")
        }
        return try response.expect(status)
    }

    /// - Throws: `Breach` where the connection is not closed in time.
    func expectEnd(within seconds: Double = 3) throws {
        try hold(closes(within: seconds), "the connection is open still")
    }
}

extension RTSPSocket.Response {
    @discardableResult
    func expect(_ status: Int) throws -> Self {
        try hold(self.status == status, "\(status) was due, and this came: \(head)")
        return self
    }
}
