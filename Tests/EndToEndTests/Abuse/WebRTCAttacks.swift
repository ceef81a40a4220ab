import Foundation
import Media
import RTP
import TLS
import TestSupport
import WebRTC

/// Attacks over WebRTC. The requests come without TLS, also to servers that are attacked through TLS otherwise.
extension Attack {
    static let webrtc: [Attack] =
        webrtcOffers + webrtcChecks + webrtcHandshakes + webrtcConnections + webrtcPackets

    // MARK: Over HTTP

    private static let webrtcOffers: [Attack] = [
        Attack(
            "WebRTC: an offer of 40 KB", in: "WebRTC/Negotiation/Offer.swift",
            guard: "guard bytes.count <= Self.byteLimit else { throw .tooLong", effect: "413"
        ) { target in
            let offer = try WebRTCPeer().offer() + String(repeating: "a=x:0123456789\r\n", count: 2_500)
            try target.post(offer).expect(413)
        },
        Attack(
            "WebRTC: an offer of 41 media", in: "WebRTC/Negotiation/Offer.swift",
            guard: "guard description.media.count <= Self.mediaLimit else", effect: "413"
        ) { target in
            let media = "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\n"
            try target.post(try WebRTCPeer().offer() + String(repeating: media, count: 40)).expect(413)
        },
        Attack(
            "WebRTC: publishing without the right to it", in: "Server/WebRTC/Assembly+WebRTCRoutes.swift",
            guard: #"Route(.stream("whip"), [.get, .post], for: .stream(.publish), accepting: Self.offers)"#,
            effect: "401, like a wrong password",
            scope: .users
        ) { target in
            try target.post(try WebRTCPeer().offer("sendonly"), to: "live/gate/whip").expect(401)
        },
        Attack(
            "WebRTC: guessing the address of a session", in: "WebRTCServer/Service/WebRTCService+Opening.swift",
            guard: "SessionName(onLoop: number, random: (numbers.next(), numbers.next()))",
            effect: "404; 128 random bits"
        ) { target in
            var names: [[Character]] = []
            for _ in 0..<20 {
                try target.withWebRTC { names.append(Array($0.location.split(separator: "-").last ?? "")) }
            }
            // By chance, a digit is the same in all 20 names once in 16¹⁹.
            let isRandom = (0..<32).allSatisfy { place in Set(names.map { $0[place] }).count > 1 }
            try verify(names.allSatisfy { $0.count == 32 } && isRandom, "\(names.map { String($0) })")
            try target.withWebRTC { attacker in
                let own = attacker.location
                let guesses = ["\(own.dropLast(2))zz", "\(own.dropLast(32))\(String(repeating: "0", count: 32))"]
                for guess in guesses + [String(own.dropLast(4)), "/api/v1/webrtc/9-0"] {
                    for method in ["DELETE", "GET"] {
                        let response = try target.ask("\(method) \(guess)")
                        try verify(response.status == 404, "\(method) \(guess): \(response.status)")
                    }
                }
                try verify(try target.ask("GET \(own)").status == 204, "the session has ended")
            }
        },
        Attack(
            "WebRTC: 10 000 offers without a client", in: "WebRTCServer/Server/PendingSessions.swift",
            guard: "guard counts.total < maximumCount, counts.byHost[host, default: 0] < maximumPerHost else",
            effect: "503 after \(Setting.pendingSessionLimit) from one address, which take 2 KB each, for 10 s"
        ) { target in
            let offer = try WebRTCPeer().offer()
            let limit = Setting.pendingSessionLimit
            // As many as viewers are permitted beside the two that watch.
            let addresses = (0..<((Setting.viewerLimit - 2) / limit)).map { _ in target.freshAddress() }
            // The guard is the same on all servers, and they share two processors.
            let count = target.setting == Setting.all[0] ? 10_000 : 1_000
            let (memory, start) = (target.memory, ContinuousClock.now)
            var (lastCreation, statuses) = (start, [Int: Int]())
            while statuses.values.reduce(0, +) < count {
                for address in addresses {
                    let part = try target.post(offer, times: 100, from: address)
                    if part[201] != nil { lastCreation = .now }
                    statuses.merge(part, uniquingKeysWith: +)
                }
            }
            // On a busy machine, the first have been released before the last come.
            let rounds = Int((ContinuousClock.now - start) / .seconds(9)) + 1
            let created = statuses.removeValue(forKey: 201) ?? 0
            try verify(
                created <= limit * addresses.count * rounds && Set(statuses.keys) == [503],
                "\(created) sessions, \(statuses)")
            let permitted = 2 * limit * addresses.count + offerNoise
            let taken = target.memory - memory
            try verify(taken <= permitted || Sanitizer.current != nil, "\(taken) KB, \(permitted) permitted")
            pause(10.5 - (ContinuousClock.now - lastCreation) / .seconds(1))
            for address in addresses {
                let answers = try (0..<limit).map { _ in try target.post(offer, from: address) }
                // They would be in the way of the next attack.
                for answer in answers { _ = try target.ask("DELETE \(answer.header("Location") ?? "/")") }
                let statuses = answers.map(\.status)
                try verify(Set(statuses) == [201], "sessions are still kept: \(statuses)")
            }
        },
    ]

    // MARK: Connectivity checks

    private static let webrtcChecks: [Attack] = [
        Attack(
            "WebRTC: checks with a wrong password", in: "WebRTC/ICE/ICEAgent.swift",
            guard: "message.isAuthentic(in: datagram, key: key, authenticate: authenticate)",
            effect: "no answer; media go where they went"
        ) { target in
            try target.withWebRTC { attacker in
                try attacker.establish()
                let strangers = try (0..<20).map { _ in try attacker.stranger() }
                for _ in 0..<50 {
                    for stranger in strangers {
                        stranger.send(attacker.peer.check(password: "0123456789012345678901234"))
                    }
                }
                try attacker.expectMedia()
                try expectSilence(at: strangers)
            }
        },
        Attack(
            "WebRTC: datagrams of other addresses than the session's, or before it has one",
            in: "WebRTCServer/Service/WebRTCService+Datagrams.swift",
            guard: "guard let session = table[path] else { return }", effect: "no answer"
        ) { target in
            try target.withWebRTC { attacker in
                let stranger = try attacker.stranger()
                // The first bytes of DTLS, RTP, RTCP, STUN without a cookie, TURN and QUIC.
                for first: UInt8 in [22, 0x80, 0x81, 0x00, 0x40, 0xFF] {
                    stranger.send([first, 0xC8] + [UInt8](repeating: 1, count: 100))
                }
                stranger.send(greeting(of: 200, from: 0, count: 200))
                try expectSilence(at: [stranger])
                try attacker.establish()
                let count = clockAnswerCount(of: attacker.peer)
                // Authentic, but from a stranger. The one behind it is the peer's.
                if let report = attacker.peer.sealed(clockRequest) { stranger.send(report) }
                attacker.peer.send(clockRequest)
                try verify(
                    attacker.peer.run { clockAnswerCount(of: attacker.peer) > count }, "the session is not served")
                try expectSilence(at: [stranger])
                try verify(clockAnswerCount(of: attacker.peer) == count + 1, "the stranger's packet was taken")
            }
        },
        Attack(
            "WebRTC: checks whose answer would be larger than they are", in: "WebRTC/ICE/ICEAgent.swift",
            guard: ".unknownAttributes(Array(unknown.prefix(4)))", effect: "an answer of at most 96 bytes"
        ) { target in
            try target.withWebRTC { attacker in
                let stranger = try attacker.stranger()
                for count in [0, 1, 2, 8, 300] {
                    let unknown = (0..<count).map { STUNAttribute.other(type: 0x7000 + UInt16($0), []) }
                    stranger.send(attacker.peer.check([.controlled(7)] + unknown))
                    guard let answer = stranger.receive(within: 3) else { throw Breach(description: "no answer") }
                    try verify(answer.count <= 96, "\(answer.count) bytes")
                }
            }
        },
        Attack(
            "WebRTC: checks from dozens of addresses", in: "WebRTC/ICE/ICEAgent.swift",
            guard: "guard paths.count >= Self.maximumPathCount else { return nil }",
            effect: "the session has eight; packets of others have no effect"
        ) { target in
            try target.withWebRTC { attacker in
                try attacker.establish()
                let strangers = try (0..<20).map { _ in try attacker.stranger() }
                for stranger in strangers {
                    stranger.send(attacker.peer.check([.controlling(7)]))
                    try verify(stranger.receive(within: 3) != nil, "no answer")
                }
                let count = clockAnswerCount(of: attacker.peer)
                for stranger in [strangers[0], strangers[19]] {
                    if let report = attacker.peer.sealed(clockRequest) { stranger.send(report) }
                }
                try verify(attacker.peer.run { clockAnswerCount(of: attacker.peer) > count }, "no path is known")
                try attacker.expectMedia()
                try verify(clockAnswerCount(of: attacker.peer) == count + 1, "all paths are known")
            }
        },
        Attack(
            "WebRTC: checks with a forged source, to send media to another host", in: "WebRTC/ICE/ICEAgent.swift",
            guard: "if isFirst || isNominated && isValidated {",
            effect: "an answer and a check of at most 100 bytes each; media go where they went"
        ) { target in
            try target.withWebRTC { attacker in
                try attacker.establish()
                let victim = try attacker.stranger()
                for _ in 0..<3 {
                    victim.send(attacker.peer.check())
                    for _ in 0..<2 {
                        guard let datagram = victim.receive(within: 3) else { throw Breach(description: "no answer") }
                        try verify(
                            STUNMessage(parsing: datagram.span.bytes) != nil && datagram.count <= 100,
                            "\(datagram.count) bytes were sent to another host")
                    }
                    try attacker.expectMedia()
                }
                try expectSilence(at: [victim])
            }
        },
    ]

    // MARK: DTLS

    private static let webrtcHandshakes: [Attack] = [
        Attack(
            "WebRTC: another certificate than that of the offer", in: "TLS/DTLSConnection.swift",
            guard: "digest == peerFingerprint else", effect: "the session ends"
        ) { target in
            let offer = try WebRTCPeer().offer()
            try target.withWebRTC(offer: offer) { attacker in
                _ = attacker.peer.run(within: 1) { attacker.peer.isEstablished && !attacker.peer.packets.isEmpty }
                try verify(attacker.peer.packets.isEmpty, "media have come")
                try attacker.expectEnd(because: "another fingerprint")
            }
        },
        Attack(
            "WebRTC: a handshake that stops", in: "TLS/DTLSConnection.swift",
            guard: "return fail(.handshakeTooSlow(seconds: limits.seconds))", effect: "the session ends after 1 s",
            length: .patient
        ) { target in
            try target.withWebRTC { attacker in
                try attacker.checkedStranger().send(greeting(of: 200, from: 0, count: 100))
                try attacker.expectEnd(because: "not complete after 1 s")
            }
        },
        Attack(
            "WebRTC: a handshake whose answers go to a forged source",
            in: "WebRTCServer/Sessions/AmplificationLimit.swift",
            guard: "guard byteCount <= allowance else { return false }",
            effect: "the other host gets at most four times the bytes of the forged check", length: .patient
        ) { target in
            try target.withWebRTC { attacker in
                let (victim, stranger) = (try attacker.stranger(), try attacker.stranger())
                let check = attacker.peer.check()
                victim.send(check)
                // The answer. The server has selected the path.
                guard victim.receive(within: 3) != nil else { throw Breach(description: "no answer") }
                let handshake = try DTLSConnection(
                    .client, as: attacker.peer.identity, peerFingerprint: [UInt8](repeating: 0, count: 32), at: .now())
                stranger.send(attacker.peer.check())
                handshake.takeOutput { stranger.send(Array($0)) }
                // Until the session ends after a second, the server's flight is sent again twice.
                var byteCount = 0
                while let datagram = victim.receive(within: 2) { byteCount += datagram.count }
                try verify(byteCount <= 4 * check.count, "\(byteCount) bytes were sent to another host")
            }
        },
        Attack(
            "WebRTC: fragments of a handshake without an end", in: "TLS/DTLSConnection.swift",
            guard: "guard receivedByteCount <= limits.byteCount else", effect: "the session ends after 32 KB"
        ) { target in
            try target.withWebRTC { attacker in
                let stranger = try attacker.checkedStranger()
                // All but the first bytes of a greeting, again and again.
                for number in 0..<100 {
                    stranger.send(greeting(of: 16_000, from: 1_000 * (1 + number % 15), count: 1_000, number: number))
                }
                try attacker.expectEnd(because: "not complete after 32768 bytes")
            }
        },
        Attack(
            "WebRTC: renegotiation", in: "COpenSSL/DTLS.c", guard: "SSL_OP_NO_RENEGOTIATION",
            effect: "refused"
        ) { target in
            let certificate = try SelfSignedCertificate(for: [.host("peer")], days: 30)
            let (file, key) = (target.folder.file("peer.pem"), target.folder.file("peer-key.pem"))
            try Data(certificate.certificate).write(to: URL(filePath: file))
            try Data(certificate.key).write(to: URL(filePath: key))
            // The client begins anew if its handshake has taken longer than the server permits, as on a busy machine.
            var text = ""
            _ = try soon(within: 60 * Sanitizer.patience) {
                try target.withWebRTC(try WebRTCPeer(with: certificate)) { attacker in
                    // openssl takes over the port from which the check came.
                    let ownPort = try attacker.checkedStranger().localPort
                    text = try OpenSSLClient.renegotiation(
                        "-dtls1_2", "-connect", "127.0.0.1:\(attacker.peer.port)", "-bind", "127.0.0.1:\(ownPort)",
                        "-cert", file, "-key", key, "-use_srtp", "SRTP_AEAD_AES_128_GCM", within: 2 * Sanitizer.patience
                    )
                }
                return text.contains(OpenSSLClient.request)
            }
            try verify(text.contains(OpenSSLClient.refusal), "\(text) \(target.server.log.suffix(500))")
        },
    ]

    // MARK: Over TCP

    private static let webrtcConnections: [Attack] = [
        Attack(
            "WebRTC: TCP connections without a check", in: "WebRTCServer/Service/WebRTCService+Connections.swift",
            guard: #"close(connection, because: "no connectivity check has come", at: now)"#,
            effect: "closed after 10 s", length: .patient
        ) { target in
            let connection = HTTPSocket(over: try LoopbackSocket(port: try target.webRTCPort()))
            connection.send("\u{0}\u{2}\u{16}\u{1}")
            try verify(connection.isClosedByServer(within: 13 * Sanitizer.patience), "the connection is open")
        },
        Attack(
            "WebRTC: TCP connections of a session that has ended",
            in: "WebRTCServer/Service/WebRTCService+Sessions.swift",
            guard: "for path in table.remove(session) { release(path, at: now) }", effect: "closed after 10 s",
            length: .patient
        ) { target in
            var connections: [LoopbackSocket] = []
            try target.withWebRTC { attacker in
                for _ in 0..<4 {
                    let connection = try LoopbackSocket(port: attacker.peer.port)
                    connection.send(FramedDatagrams.framed(attacker.peer.check()))
                    try verify(connection.receive(within: 3)?.isEmpty == false, "a check is not answered")
                    connections.append(connection)
                }
            }
            for connection in connections {
                // Checks of the server may still be there.
                while let bytes = connection.receive(within: 13 * Sanitizer.patience), !bytes.isEmpty {}
                try verify(connection.receive(within: 0)?.isEmpty == true, "a connection is open")
            }
        },
        Attack(
            "WebRTC: hundreds of TCP connections", in: "WebRTCServer/Service/WebRTCService+Connections.swift",
            guard: "guard connections.count < context.options.maximumConnections else",
            effect: "\(Setting.connectionLimit) are kept, others are closed at once"
        ) { target in
            let port = try target.webRTCPort()
            let sockets = try (0..<100).map { _ in HTTPSocket(over: try LoopbackSocket(port: port)) }
            let closed = sockets.suffix(100 - Setting.connectionLimit)
            try verify(closed.allSatisfy { $0.isClosedByServer() }, "more connections are kept")
            withExtendedLifetime(sockets) {}
        },
        Attack(
            "WebRTC: a frame of 64 KB in a TCP connection", in: "WebRTC/FramedDatagrams.swift",
            guard: "guard byteCount <= byteLimit else { throw DatagramTooLong", effect: "the connection is closed"
        ) { target in
            let connection = HTTPSocket(over: try LoopbackSocket(port: try target.webRTCPort()))
            connection.socket.send([0xFF, 0xFF, 22] + [UInt8](repeating: 1, count: 1_000))
            try verify(connection.isClosedByServer(), "the connection is open")
        },
    ]

    // MARK: Parts of attacks

    private static func expectSilence(at sockets: [LoopbackSocket]) throws {
        for socket in sockets {
            let answer = socket.receive(within: 0.02)
            try verify(answer == nil, "\(answer?.count ?? 0) bytes were sent to a stranger")
        }
    }

    /// KB by which the server's memory may grow by thousands of offers, beside the sessions that wait for their clients. 11 000 offers
    /// to a server that had answered none took 3.4 MB, of which the first 1 000 took 2.2 MB; 480 sessions then took 0.8 MB. Each offer
    /// that was kept would take 2 KB.
    private static let offerNoise = 4_096

    /// Asks the server how old this end's clock is.
    static let clockRequest = ControlPacket.extendedReport(
        ExtendedReport(ssrc: SSRC(5), blocks: [.receiverReferenceTime(NTPTime(rawValue: 0x1122_3344_5566_7788))]))

    static func clockAnswerCount(of peer: WebRTCPeer) -> Int {
        peer.reports.count { if case .extendedReport = $0 { true } else { false } }
    }

    /// A fragment of a ClientHello (RFC 6347, sections 4.1 and 4.2.2).
    private static func greeting(of length: Int, from offset: Int, count: Int, number: Int = 0) -> [UInt8] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let fragment =
            [1] + bytes(length, 3) + bytes(0, 2) + bytes(offset, 3) + bytes(count, 3)
            + [UInt8](repeating: 0, count: count)
        return [22, 0xFE, 0xFD] + bytes(0, 2) + bytes(number, 6) + bytes(fragment.count, 2) + fragment
    }
}

extension WebRTCAttacker {
    /// A socket from which a check has come, so that the session is served there.
    func checkedStranger() throws -> LoopbackSocket {
        let stranger = try stranger()
        stranger.send(peer.check())
        try verify(stranger.receive(within: 3) != nil, "no answer to a check")
        return stranger
    }
}

extension Target {
    /// The port of WebRTC, as an answer names it.
    fileprivate func webRTCPort() throws -> Int {
        var port = 0
        try withWebRTC { port = $0.peer.port }
        return port
    }
}

extension HTTPSocket.Response {
    @discardableResult
    fileprivate func expect(_ status: Int) throws -> Self {
        try verify(self.status == status, "unexpected response instead of \(status): \(head)")
        return self
    }
}
