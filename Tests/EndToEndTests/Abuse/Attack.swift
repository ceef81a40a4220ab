import TestSupport

/// One attack on a server with viewers.
///
/// A single guard in the sources stops the attack; without it, `act` throws.
struct Attack: Sendable {
    /// A place in the server's sources.
    struct Guard: Hashable, Sendable {
        /// The path below `Sources`.
        let file: String
        /// A part of that file: the condition, or the code for the failing case.
        let text: String

        init(_ file: String, _ text: String) {
            (self.file, self.text) = (file, text)
        }
    }

    /// The servers on which the attack is possible.
    enum Scope: Sendable {
        case all
        /// Servers with users in the configuration.
        case users
        /// Servers with or without TLS.
        case tls, clear
        case usersInTheClear, usersInTLS
        /// Servers with a callback only.
        case callback
    }

    /// The duration of the attack.
    enum Length: Sendable {
        case brief
        /// Waits for a deadline of the server, concurrently with other patient attacks.
        case patient
    }

    let name: String
    let protection: Guard
    /// The visible effect.
    let effect: String
    let scope: Scope
    let length: Length
    /// Runs the attack on a separate thread, so that it may block.
    ///
    /// - Throws: `Breach` if the guard failed.
    let act: @Sendable (Target) throws -> Void

    init(
        _ name: String, in file: String, guard text: String, effect: String, scope: Scope = .all,
        length: Length = .brief, _ act: @escaping @Sendable (Target) throws -> Void
    ) {
        self.name = name
        protection = Guard(file, text)
        self.effect = effect
        self.scope = scope
        self.length = length
        self.act = act
    }

    /// All attacks in the order of the table in docs/abuse.md.
    static let groups: [(title: String, attacks: [Attack])] = [
        ("Grammar", grammar), ("Requests", requests), ("Sessions", sessions), ("Transports", transports),
        ("Keys", keys), ("Interleaving", interleaving), ("Datagrams", datagrams), ("Authentication", authentication),
        ("Digest authentication", digests), ("Handshakes", handshakes), ("Publishing", publishing),
        ("Published media", publishedMedia), ("RTMP", rtmp), ("SRT", srt), ("WebRTC", webrtc), ("Limits", limits),
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
        case .usersInTLS: setting.hasUsers && setting.isEncrypted
        case .callback: setting.decision == .callback
        }
    }
}

/// A guard failed.
struct Breach: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: `Breach` if `condition` is false.
func verify(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Breach(description: description()) }
}

extension RTSPSocket {
    /// Waits for the next response.
    ///
    /// - Throws: `Breach` if it has another status or does not come in time.
    @discardableResult
    func expect(_ status: Int, within seconds: Double = 5) throws -> Response {
        guard let response = response(within: seconds) else {
            throw Breach(description: "no response instead of \(status)\(isClosed ? ": closed" : "")")
        }
        return try response.expect(status)
    }

    /// - Throws: `Breach` if the connection is not closed in time.
    func expectEnd(within seconds: Double = 3) throws {
        try verify(closes(within: seconds), "the connection is still open")
    }
}

extension RTSPSocket.Response {
    @discardableResult
    func expect(_ status: Int) throws -> Self {
        try verify(self.status == status, "unexpected response instead of \(status): \(head)")
        return self
    }
}
