import Foundation
import Reactor
import TestSupport

/// What comes over UDP from those whom nobody has asked.
extension Attack {
    static let datagrams: [Attack] = [
        Attack(
            "RTCP from a foreign port: a plea, a goodbye", "RTSPServer/ServerLoop+Datagrams.swift",
            "if let session = viewersByReportSource[datagram.source] {", "nothing of it is done"
        ) { target in
            let (server, ssrc) = (target.records[0].serverPort ?? 0, target.records[0].ssrc)
            let stranger = try RTPSocketPair.bind(evenIn: 58_002...59_000)
            let plea = ControlBytes.receiverReport + ControlBytes.pictureLoss(of: ssrc)
            let goodbye = ControlBytes.receiverReport + ControlBytes.goodbye(of: ssrc)
            try target.expectNoRandomAccess { _ in
                for bytes in [plea, goodbye] { stranger.rtcp.say(bytes, toPort: server + 1) }
            }
        },
        Attack(
            "a punch from another address, for somebody's media", "RTSPServer/UnlatchedSessions.swift",
            "guard var candidates = sessions[host] else", "nothing comes of it"
        ) { target in
            try expectNothing(for: Thief(at: target.freshAddress(), Victim(of: target)))
        },
        Attack(
            "a punch where it could be for two", "RTSPServer/ServerLoop+Datagrams.swift",
            "guard candidates.count == 1, let session = candidates.first", "nothing comes of it"
        ) { target in
            let other = try Victim(of: target)
            try expectNothing(for: Thief(Victim(of: target, from: other.address)))
            try hold(other.hearsAnything, "the other hears nothing")
        },
        Attack(
            "a punch for a viewer who was heard", "RTSPServer/ServerLoop+Datagrams.swift",
            "session.isHeard || session.startedAt", "nothing comes of it"
        ) { target in
            let victim = try Victim(of: target)
            victim.punch()
            pause(0.05)
            try expectNothing(for: Thief(victim))
        },
        Attack(
            "a punch for one of two tracks", "RTSPServer/ServerLoop+Datagrams.swift",
            "guard destinations.count == ClientSocket.allCases.count else { return [] }", "nothing comes of it"
        ) { target in
            try expectNothing(for: Thief(Victim(of: target, "cam", tracks: 2)))
        },
        Attack(
            "a punch after its time", "RTSPServer/ServerLoop+Datagrams.swift", "now - $0 > Self.latchWindow",
            "nothing comes of it", .all, .patient
        ) { target in
            let victim = try Victim(of: target)
            for _ in 0..<6 {
                pause(0.9)
                try victim.keepAlive()
            }
            try expectNothing(for: Thief(victim))
        },
        Attack(
            "a punch long before a PLAY", "RTSPServer/LatchCandidates.swift", "now - candidate.instant <= Self.lifetime",
            "nothing comes of it", .all, .patient
        ) { target in
            let address = target.freshAddress()
            let thief = try Thief(at: address, serverPort: target.records[0].serverPort ?? 0)
            thief.punch()
            pause(1.3)
            let victim = try Victim(of: target, from: address)
            let (isStolen, isThere) = (thief.hearsAnything, victim.hearsAnything)
            try hold(!isStolen, "the media went to the thief")
            try hold(isThere, "the victim hears nothing")
        },
    ]

    /// A punch gets the thief nothing, and the victim what was before.
    private static func expectNothing(for thief: borrowing Thief) throws {
        thief.punch()
        let (isStolen, isThere) = (thief.hearsAnything, thief.victim?.hearsAnything != false)
        try hold(!isStolen, "the media went to the thief")
        try hold(isThere, "the victim hears nothing any more")
    }
}

/// A viewer over UDP, in the clear, whose client was not heard on its ports yet.
private final class Victim {
    let address: String
    let serverPort: UInt16
    private let media: UDPSocket
    private let socket: RTSPSocket
    private let url: String
    private let session: [String: String]

    /// - Parameter address: one that nobody else has come from, where `nil`.
    init(of target: Target, _ path: String = "hall", tracks: Int = 1, from address: String? = nil) throws {
        self.address = address ?? target.freshAddress()
        media = try UDPSocket(at: SocketAddress.host(self.address))
        let port = Int(media.localAddress?.port ?? 0)
        socket = try target.logInInTheClear(as: .viewer, from: self.address)
        let setup = try socket.setUp(target.clearURL(path), tracks: tracks) { track in
            // All but the first are nobody's.
            "RTP/AVP;unicast;client_port=\(port + 2 * track)-\(port + 2 * track + 1)"
        }
        (url, session) = (setup.base, setup.session)
        serverPort = try setup.answers.first?.expect(200).serverPort ?? 0
        try socket.request("PLAY", url, session).expect(200)
    }

    func keepAlive() throws { try socket.request("GET_PARAMETER", url, session).expect(200) }

    func punch() { media.say([0x80, 0, 0, 0], toPort: serverPort) }

    /// Whether it hears more than has come already.
    var hearsAnything: Bool {
        var datagrams = ReceivedDatagrams()
        while case .bytes = datagrams.receive(from: media) {}
        return isReadable(media.fd, within: 3)
    }
}

/// Somebody with a UDP socket who would like to have a victim's media.
private struct Thief: ~Copyable {
    let victim: Victim?
    private let socket: UDPSocket
    private let serverPort: UInt16

    init(at address: String? = nil, _ victim: Victim) throws {
        try self.init(at: address ?? victim.address, serverPort: victim.serverPort, victim)
    }

    init(at address: String, serverPort: UInt16, _ victim: Victim? = nil) throws {
        socket = try UDPSocket(at: SocketAddress.host(address))
        (self.serverPort, self.victim) = (serverPort, victim)
    }

    func punch() { socket.say([0x80, 0, 0, 0], toPort: serverPort) }

    /// Whether anything has come by the time by which several pictures would have.
    var hearsAnything: Bool { isReadable(socket.fd, within: 0.25) }
}

private func isReadable(_ descriptor: Int32, within seconds: Double) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Foundation.poll(&poll, 1, Int32(seconds * 1_000)) > 0
}

extension SocketAddress {
    /// An address of this host, and a port of the kernel's choice.
    ///
    /// - Throws: where it is none.
    fileprivate static func host(_ text: String) throws -> SocketAddress {
        guard let address = SocketAddress(text, port: 0) else { throw Breach(description: "\(text) is no address") }
        return address
    }
}

extension UDPSocket {
    /// Sends a datagram to a port of this host.
    fileprivate borrowing func say(_ bytes: [UInt8], toPort port: UInt16) {
        // One that is lost is an attack less, and what is expected of it holds.
        _ = bytes.withUnsafeBytes { send($0, to: .loopback(.ipv4, port: port)) }
    }
}
