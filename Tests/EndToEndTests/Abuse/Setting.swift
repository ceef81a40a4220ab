import TestSupport
import Testing

/// The configuration of a server under attack.
struct Setting: Hashable, Sendable, CustomStringConvertible {
    /// The authority that decides which clients may play.
    enum Decision: String {
        /// None: the attackers are on this host.
        case open
        case users
        case callback
    }

    let decision: Decision
    /// Whether the attackers use TLS.
    let isEncrypted: Bool

    static let all =
        [Decision.open, .users].flatMap { decision in
            [false, true].map { Setting(decision: decision, isEncrypted: $0) }
        } + [Setting(decision: .callback, isEncrypted: false)]

    /// Whether all clients must authenticate.
    var hasUsers: Bool { decision == .users }

    var description: String { "\(decision.rawValue), \(isEncrypted ? "TLS" : "clear")" }

    /// The ports that are named in the configuration.
    struct Ports {
        let rtsps: Int
        let rtmps: Int
        let https: Int
        let webRTC: Int

        init() throws {
            (rtsps, rtmps) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
            (https, webRTC) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
        }
    }

    /// Returns the configuration: one event loop, which all clients share, and short deadlines; but viewers may lag as far as a
    /// busy machine makes them. `cam-late` never has a frame.
    ///
    /// - Parameter callback: Additional options of `access`.
    func configuration(_ ports: Ports, in folder: String, callback: String) -> String {
        """
        tls: { encryption: optional, port: \(ports.rtsps), certificate: \(folder)/certificate.pem, key: \(folder)/key.pem }
        server: { sessionTimeoutSeconds: 5 }
        control: { socket: \(folder)/control }
        rtmp: { tlsPort: \(ports.rtmps) }
        http: { tlsPort: \(ports.https) }
        webrtc: { port: \(ports.webRTC), connections: \(Self.connectionLimit), pendingSessionsPerAddress: \(Self.pendingSessionLimit) }
        loops: { threads: 1 }
        ring: { bytes: 4000000 }
        limits:
          { requestHeadSeconds: 1, idleConnectionSeconds: 5, handshakeSeconds: 1, viewers: \(Self.viewerLimit),
            viewerStallSeconds: 2, viewerLagMilliseconds: 4000, unfinishedHandshakes: \(Self.handshakeLimit) }
        access: { deny: [127.0.0.13], connectDeny: [127.0.0.66], wrongPasswordMilliseconds: \(Self.wrongPasswordMilliseconds), nonceSeconds: 10,
            guessingAddresses: \(Self.guessingAddressLimit)\(callback) }
        \(hasUsers ? Account.configuration : "")
        paths:
          cam: { video: { \(Self.small), gopMilliseconds: 60000 } }
          hall: { video: { \(Self.small), gopMilliseconds: 1000 }, audio: { enabled: false }, multicast: onRequest }
          yard/gate: { rate: follow, video: { \(Self.small) }, audio: { enabled: false } }
          cam-late: { source: \(folder)/late }
          "live/*": { source: publish }
          "mass/*": { source: publish, publish: { maximumPathsPerUser: \(Self.pathsPerUserLimit) } }
          "crowd/*": { source: publish, publish: { maximumPaths: \(Self.pathLimit) } }
        """
    }

    static let viewerLimit = 40
    /// How many paths of `mass/*` a user may create, and all users together of `crowd/*`.
    static let (pathsPerUserLimit, pathLimit) = (3, 2)
    static let handshakeLimit = 100
    /// How many TCP connections of WebRTC there may be, and sessions of one address without a client.
    static let (connectionLimit, pendingSessionLimit) = (16, 8)
    /// More addresses than an hour of attacks locks out.
    static let guessingAddressLimit = 128
    static let wrongPasswordMilliseconds = 50
    private static let small = "width: 320, height: 180, frameRate: 25, bitrate: 300000"
}

/// A user in the configuration.
struct Account: Sendable {
    let name: String
    let password: String
    /// The options beside the password.
    private let rights: String

    /// Has permission for all paths.
    static let viewer = Account(name: "viewer", password: "sesame77", rights: "read: [\"*\"]")
    static let gardener = Account(name: "gardener", password: "garden88", rights: "read: yard/*")
    /// Is allowed from one address only.
    static let neighbour = Account(name: "neighbour", password: "fence4711", rights: "allow: [127.0.0.7]")
    /// Has permission for a path that differs from an existing one only in case.
    static let typist = Account(name: "typist", password: "capital55", rights: "read: CAM")
    /// The user of the two viewers that must not see a gap.
    static let watcher = Account(name: "watcher", password: "window33", rights: "read: cam")

    /// Publishes paths that publishers create, and may watch nothing.
    static let reporter = Account(
        name: "reporter", password: "scoop2468", rights: "read: [], publish: [live/*, mass/*, crowd/*]")
    /// Watches everything, and publishes wherever another does not.
    static let rival = Account(name: "rival", password: "ousted13579", rights: "publish: [\"*\"]")

    static let all = [viewer, gardener, neighbour, typist, watcher, reporter, rival]

    static var configuration: String {
        "users:\n"
            + all.map { "  \($0.name): { password: \($0.password), \($0.rights) }" }.joined(separator: "\n")
    }
}
