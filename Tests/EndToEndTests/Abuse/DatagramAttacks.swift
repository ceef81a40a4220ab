import Foundation
import Reactor
import TestSupport

/// Unsolicited UDP datagrams.
extension Attack {
    static let datagrams: [Attack] = [
        Attack(
            "RTCP from another port: a keyframe request, a BYE", in: "RTSPServer/Sessions/ReportReceiver.swift",
            guard: "guard let session = sessions.addresses.session(at: source) else { return false }",
            effect: "no effect"
        ) { target in
            let (server, ssrc) = (target.records[0].serverPort ?? 0, target.records[0].ssrc)
            let stranger = try RTPSocketPair.bind(evenIn: 58_002...59_000)
            let plea = ControlBytes.receiverReport + ControlBytes.pictureLoss(of: ssrc)
            let goodbye = ControlBytes.receiverReport + ControlBytes.goodbye(of: ssrc)
            try target.expectNoKeyframe { _ in
                for bytes in [plea, goodbye] { stranger.rtcp.send(bytes, toPort: server + 1) }
            }
        },
        Attack(
            "hole punching from another address, to receive a viewer's media",
            in: "RTSPServer/Sessions/NATLatching.swift",
            guard: "guard let all = unlatched[host] else { return [] }", effect: "no effect"
        ) { target in
            try expectNothing(for: Attacker(at: target.freshAddress(), Victim(of: target)))
        },
        Attack(
            "hole punching that matches two sessions", in: "RTSPServer/Sessions/NATLatching.swift",
            guard: "guard candidates.count == 1, let session = candidates.first", effect: "no effect"
        ) { target in
            let other = try Victim(of: target)
            try expectNothing(for: Attacker(Victim(of: target, from: other.address)))
            try verify(other.receivesMedia, "the other viewer receives nothing")
        },
        Attack(
            "hole punching for a viewer whose address is latched",
            in: "RTSPServer/Sessions/NATLatching.swift",
            guard: "return !client.isLatched && now - start", effect: "no effect"
        ) { target in
            let victim = try Victim(of: target)
            victim.punch()
            pause(0.05)
            try expectNothing(for: Attacker(victim))
        },
        Attack(
            "hole punching for one of two tracks", in: "RTSPServer/Sessions/NATLatching.swift",
            guard: "guard destinations.count == UDPPort.allCases.count else { return [] }", effect: "no effect"
        ) { target in
            try expectNothing(for: Attacker(Victim(of: target, "cam", tracks: 2)))
        },
        Attack(
            "hole punching after the latching window", in: "RTSPServer/Sessions/NATLatching.swift",
            guard: "now - start <= Self.window",
            effect: "no effect", scope: .all, length: .patient
        ) { target in
            let victim = try Victim(of: target)
            for _ in 0..<6 {
                pause(0.9)
                try victim.keepAlive()
            }
            try expectNothing(for: Attacker(victim))
        },
        Attack(
            "hole punching long before PLAY", in: "RTSPServer/Sessions/EarlyDatagrams.swift",
            guard: "now - candidate.instant <= Self.lifetime",
            effect: "no effect", scope: .all, length: .patient
        ) { target in
            let address = target.freshAddress()
            let attacker = try Attacker(at: address, serverPort: target.records[0].serverPort ?? 0)
            attacker.punch()
            pause(1.3)
            let victim = try Victim(of: target, from: address)
            let (isStolen, victimReceives) = (attacker.receivesMedia, victim.receivesMedia)
            try verify(!isStolen, "the media went to the attacker")
            try verify(victimReceives, "the victim receives nothing")
        },
    ]

    /// Expects that the attacker's hole punching has no effect for the attacker and the victim.
    private static func expectNothing(for attacker: borrowing Attacker) throws {
        attacker.punch()
        let (isStolen, victimReceives) = (attacker.receivesMedia, attacker.victim?.receivesMedia != false)
        try verify(!isStolen, "the media went to the attacker")
        try verify(victimReceives, "the victim receives nothing any more")
    }
}

/// A viewer over UDP without TLS; its address is not latched yet.
private final class Victim {
    let address: String
    let serverPort: UInt16
    private let media: UDPSocket
    private let socket: RTSPSocket
    private let url: String
    private let session: [String: String]

    /// - Parameter address: The local address; `nil` for a new one.
    init(of target: Target, _ path: String = "hall", tracks: Int = 1, from address: String? = nil) throws {
        self.address = address ?? target.freshAddress()
        media = try UDPSocket(at: SocketAddress.host(self.address))
        let port = Int(media.localAddress?.port ?? 0)
        socket = try target.logInInTheClear(as: .viewer, from: self.address)
        let setup = try socket.setUp(target.clearURL(path), tracks: tracks) { track in
            // All ports but the first pair have no socket.
            "RTP/AVP;unicast;client_port=\(port + 2 * track)-\(port + 2 * track + 1)"
        }
        (url, session) = (setup.base, setup.session)
        serverPort = try setup.answers.first?.expect(200).serverPort ?? 0
        try socket.request("PLAY", url, session).expect(200)
    }

    func keepAlive() throws { try socket.request("GET_PARAMETER", url, session).expect(200) }

    func punch() { media.send([0x80, 0, 0, 0], toPort: serverPort) }

    /// Whether media arrives from now on.
    var receivesMedia: Bool {
        var datagrams = ReceivedDatagrams()
        while case .bytes = datagrams.receive(from: media) {}
        return isReadable(media.fd, within: 3)
    }
}

/// A UDP socket that tries to receive a victim's media.
private struct Attacker: ~Copyable {
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

    func punch() { socket.send([0x80, 0, 0, 0], toPort: serverPort) }

    /// Whether anything arrives within the time of several frames.
    var receivesMedia: Bool { isReadable(socket.fd, within: 0.25) }
}

private func isReadable(_ descriptor: Int32, within seconds: Double) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Foundation.poll(&poll, 1, Int32(seconds * 1_000)) > 0
}

extension SocketAddress {
    /// Returns a local address; the kernel chooses the port.
    ///
    /// - Throws: If `text` is not an address.
    static func host(_ text: String) throws -> SocketAddress {
        guard let address = SocketAddress(text, port: 0) else { throw Breach(description: "\(text) is not an address") }
        return address
    }
}

extension UDPSocket {
    /// Sends a datagram to a port of this host.
    borrowing func send(_ bytes: [UInt8], toPort port: UInt16) {
        // A lost datagram only makes the attack weaker.
        _ = bytes.withUnsafeBytes { send($0, to: .loopback(.ipv4, port: port)) }
    }
}
