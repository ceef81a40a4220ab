import Testing

/// How the server is set up that is attacked.
struct Setting: Hashable, Sendable, CustomStringConvertible {
    /// What decides which client may watch.
    enum Decision: String {
        /// Nothing: the attackers are on this host.
        case nobody = "nobody asked"
        case users
        case callback
    }

    let decision: Decision
    /// Whether the attackers come through TLS.
    let isEncrypted: Bool

    static let all =
        [Decision.nobody, .users].flatMap { decision in
            [false, true].map { Setting(decision: decision, isEncrypted: $0) }
        } + [Setting(decision: .callback, isEncrypted: false)]

    /// Whether all clients have to prove who they are.
    var hasUsers: Bool { decision == .users }

    var description: String { "\(decision.rawValue), \(isEncrypted ? "TLS" : "clear")" }

    /// One event loop, so that all share it, and short deadlines; but a viewer may be behind as long as a busy machine makes it.
    /// `cam-late` never has a picture.
    ///
    /// - Parameter callback: more options of `access`.
    func configuration(tlsPort: Int, in folder: String, callback: String) -> String {
        """
        tls: { encryption: optional, port: \(tlsPort), certificate: \(folder)/certificate.pem, key: \(folder)/key.pem }
        server: { sessionTimeoutSeconds: 5 }
        control: { socket: \(folder)/control }
        loops: { threads: 1 }
        limits:
          { requestHeadSeconds: 1, idleConnectionSeconds: 5, handshakeSeconds: 1, viewers: \(Self.viewerLimit),
            viewerStallSeconds: 2, viewerLagMilliseconds: 4000, unfinishedHandshakes: \(Self.handshakeLimit) }
        access: { deny: [127.0.0.13], wrongPasswordMilliseconds: \(Self.wrongPasswordMilliseconds), nonceSeconds: 10,
            guessingAddresses: \(Self.guessingAddressLimit)\(callback) }
        \(hasUsers ? Account.configuration : "")
        paths:
          cam: { video: { \(Self.small), gopMilliseconds: 60000 } }
          hall: { video: { \(Self.small), gopMilliseconds: 1000 }, audio: { enabled: false }, multicast: onRequest }
          yard/gate: { video: { \(Self.small) }, audio: { enabled: false } }
          cam-late: { source: \(folder)/late }
        """
    }

    static let viewerLimit = 40
    static let handshakeLimit = 100
    /// More than an hour of attacks locks out.
    static let guessingAddressLimit = 128
    static let wrongPasswordMilliseconds = 50
    private static let small = "width: 320, height: 180, framesPerSecond: 25, bitsPerSecond: 300000"
}

/// Somebody who is in the configuration.
struct Account: Sendable {
    let name: String
    let password: String
    /// What stands beside the password.
    private let rights: String

    /// May watch everything.
    static let viewer = Account(name: "viewer", password: "sesame77", rights: "read: [\"*\"]")
    static let gardener = Account(name: "gardener", password: "garden88", rights: "read: yard/*")
    /// May come from one address.
    static let neighbour = Account(name: "neighbour", password: "fence4711", rights: "allow: [127.0.0.7]")
    /// Has the right to a path that differs in case from one that there is.
    static let typist = Account(name: "typist", password: "capital55", rights: "read: CAM")
    /// The two who are not to see a gap.
    static let watcher = Account(name: "watcher", password: "window33", rights: "read: cam")

    static let all = [viewer, gardener, neighbour, typist, watcher]

    static var configuration: String {
        "users:\n"
            + all.map { "  \($0.name): { password: \($0.password), \($0.rights) }" }.joined(separator: "\n")
    }
}
