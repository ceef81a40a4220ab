import Foundation
import TestSupport

/// Attacks over SRT (draft-sharabayko-srt-01).
extension Attack {
    static let srt: [Attack] = [
        // libsrt answers the first packet of a handshake by itself, with a cookie. It keeps nothing, and asks the gate only about callers
        // that have sent the cookie back. HandshakeGateTests have the limit of the gate.
        Attack(
            "SRT: datagrams that are no SRT, and thousands of handshakes that are not continued",
            in: "SRTServer/Server/Server.swift",
            guard: "apus_srt_listen(socket.number, Int32(Self.backlog), decision.pointer)",
            effect: "libsrt answers handshakes with a cookie, and keeps nothing; others can still connect"
        ) { target in
            let attacker = try SRTAttacker(target)
            var random = SplitMix64(seed: 1)
            for count in 0..<2_000 {
                attacker.send((0..<(count % 1_400)).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
            for _ in 0..<5_000 { attacker.send(SRTAttacker.induction) }
            try SRTAttacker(target).expect([.unknownPath, .unauthorized], for: "read:nothing")
        },
        Attack(
            "SRT: stream ids that cannot be read", in: "SRTServer/Access/HandshakeGate.swift",
            guard: "id = try SRTStreamID(parsing: bytes)", effect: "rejected with 1400 or 1405"
        ) { target in
            for id in ["#!::r", "#!::r=\u{1}", "#!::m=steal,r=cam", "\u{7F}"] {
                try SRTAttacker(target).expect([.badRequest, .unsupportedMode], for: id)
            }
            try SRTAttacker(target).expect(.unsupportedMode, for: "#!::r=cam,m=bidirectional")
        },
        Attack(
            "SRT: publishing without the right to it", in: "SRTServer/Access/HandshakeGate.swift",
            guard: "let granted = try access.authorise(right, path, id, at: now)", effect: "rejected with 1401",
            scope: .users
        ) { target in
            let viewer = Account.viewer
            try SRTAttacker(target).expect(
                .unauthorized, for: "publish:live/gate:\(viewer.name):\(viewer.password)")
        },
        Attack(
            "SRT: guessing passwords", in: "SRTServer/Access/CallerAccess.swift",
            guard: "error.countsAsGuess && authenticator.countGuess(at: now)",
            effect: "the address is locked out: 1423", scope: .users
        ) { target in
            let address = target.freshAddress()
            for number in 0..<11 {
                try SRTAttacker(target, from: address).expect(
                    [.unauthorized, .locked], for: "read:cam:\(Account.viewer.name):guess\(number)")
            }
            try SRTAttacker(target, from: address).expect(
                .locked, for: "read:cam:\(Account.viewer.name):\(Account.viewer.password)")
        },
        Attack(
            "SRT: a publisher's transport stream without tables, with a thousand PIDs",
            in: "SRTServer/Receiving/TransportReception.swift",
            guard: "if let fault = received.fault { return .unusable(fault) }",
            effect: "the connection is closed after 3 s", scope: .users, length: .patient
        ) { target in
            let reason = "the transport stream has no program"
            let before = target.logged(reason)
            let user = "\(Account.reporter.name):\(Account.reporter.password)"
            let url = "srt://127.0.0.1:\(target.server.srtPort)?streamid=publish:live/tables:\(user)"
            let folder = try TemporaryFolder()
            try Data(SRTAttacker.packetsOfManyStreams(1_000)).write(to: URL(filePath: folder.file("packets")))
            // It ends when it is disconnected.
            let send = #"while cat "$1"; do sleep 0.1; done | srt-live-transmit -q -a:no -t:15 file://con "$2""#
            let sender = try Command(["bash", "-c", send, "bash", folder.file("packets"), url])
            defer { sender.signal(SIGTERM) }
            try verify(soon(within: 8) { target.logged(reason) > before }, "the publisher is not disconnected")
            withExtendedLifetime(folder) {}
        },
        Attack(
            "SRT: a viewer that vanishes", in: "SRTServer/Loop/SRTSocket.swift",
            guard: "try set(apus_srt_peer_idle_timeout, peerIdleMilliseconds)",
            effect: "the connection is closed after 5 s", length: .patient
        ) { target in
            let account = target.setting.hasUsers ? ":\(Account.viewer.name):\(Account.viewer.password)" : ""
            let before = target.srtViewerCount
            let attacker = try SRTAttacker(target)
            try attacker.expect(.accepted, for: "read:hall\(account)")
            try verify(soon(within: 5) { target.srtViewerCount > before }, "no viewer")
            try verify(soon(within: 15) { target.srtViewerCount <= before }, "the viewer is still there")
        },
    ]
}

extension Target {
    /// How many lines of the log have a text.
    fileprivate func logged(_ text: String) -> Int { server.log.split(separator: "\n").count { $0.contains(text) } }

    /// Connections over SRT that view, by the log.
    fileprivate var srtViewerCount: Int {
        let lines = server.log.split(separator: "\n").filter { $0.contains("transport=SRT") }
        return lines.count { $0.contains(" joined ") } - lines.count { $0.contains(" left ") }
    }
}

/// A caller of the SRT server that makes its packets by hand.
final class SRTAttacker {
    /// What the server answers to a handshake. libsrt sends a rejection as its code and 1 000 (`URQ_FAILURE_TYPES`).
    enum Answer: UInt32 {
        /// It concludes the handshake.
        case accepted = 0xFFFF_FFFF
        case badRequest = 2400
        case unauthorized = 2401
        case unknownPath = 2404
        case unsupportedMode = 2405
        case locked = 2423
    }

    private let socket: LoopbackSocket

    init(_ target: Target, from address: String? = nil) throws {
        socket = try LoopbackSocket(port: target.server.srtPort, from: address, isDatagram: true)
    }

    func send(_ bytes: [UInt8]) { socket.send(bytes) }

    /// The first packet of a handshake.
    static let induction = handshake(version: 4, extensionField: 2, type: 1, cookie: 0)

    /// Calls with a stream id, and expects one of these answers.
    func expect(_ answers: [Answer], for streamID: String) throws {
        var cookie: UInt32?
        for _ in 0..<20 where cookie == nil {
            send(Self.induction)
            cookie = answer { Self.word($0, at: 16) == 5 && Self.word($0, at: 36) == 1 }.map { Self.word($0, at: 44) }
        }
        guard let cookie else { throw Breach(description: "no answer to a handshake") }
        var packet = Self.handshake(version: 5, extensionField: 5, type: 0xFFFF_FFFF, cookie: cookie)
        // SRT_CMD_HSREQ: version 1.5.0, flags, and latencies of 120 ms. SRT_CMD_SID: the text, in words of the other byte order.
        packet += [0, 1, 0, 3, 0, 1, 5, 0, 0, 0, 0, 0xBF, 0, 120, 0, 120]
        var text = Array(streamID.utf8)
        text += [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
        packet += [0, 5, 0, UInt8(text.count / 4)]
        for start in stride(from: 0, to: text.count, by: 4) { packet += text[start..<(start + 4)].reversed() }
        for _ in 0..<20 {
            send(packet)
            guard let reply = answer({ Self.word($0, at: 36) != 1 }) else { continue }
            let type = Self.word(reply, at: 36)
            return try verify(answers.contains { $0.rawValue == type }, "\(streamID): the answer is \(type)")
        }
        throw Breach(description: "\(streamID): no answer")
    }

    func expect(_ answer: Answer, for streamID: String) throws { try expect([answer], for: streamID) }

    /// The next handshake packet that satisfies a condition.
    private func answer(_ isWanted: ([UInt8]) -> Bool) -> [UInt8]? {
        let end = ContinuousClock.now + .milliseconds(500)
        while ContinuousClock.now < end {
            guard let bytes = socket.receive(within: 0.1), bytes.count >= 64, bytes[0] == 0x80, bytes[1] == 0 else {
                continue
            }
            if isWanted(bytes) { return bytes }
        }
        return nil
    }

    /// Transport packets that belong to as many streams, again and again, and no tables.
    static func packetsOfManyStreams(_ count: Int) -> [UInt8] {
        (0..<(7 * count)).flatMap { number in
            let pid = 256 + number % count
            return [0x47, UInt8(pid >> 8), UInt8(pid & 0xFF), 0x10 | UInt8(number / count % 16)]
                + [UInt8](repeating: UInt8(number % 256), count: 184)
        }
    }

    /// A control packet of type 0: its header of 16 bytes, and 48 bytes of information.
    private static func handshake(version: UInt32, extensionField: UInt8, type: UInt32, cookie: UInt32) -> [UInt8] {
        var packet: [UInt8] = [0x80, 0] + [UInt8](repeating: 0, count: 14)
        func append(_ value: UInt32) {
            packet += [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
        }
        append(version)
        packet += [0, 0, 0, extensionField]
        // The first sequence number, the largest packet, the largest window.
        for value in [1_000, 1_500, 8_192, type, 77, cookie] as [UInt32] { append(value) }
        return packet + [1, 0, 0, 127] + [UInt8](repeating: 0, count: 12)
    }

    private static func word(_ bytes: [UInt8], at index: Int) -> UInt32 {
        bytes[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
