import Foundation
import Reactor
import TestSupport

/// Attacks by publishers, and on publishers (RFC 2326, sections 10.3 and 10.11). Only servers with users have any.
extension Attack {
    static let publishing: [Attack] = [
        Attack(
            "another user's path, while that user publishes", in: "Delivery/Publishing/PublishingPoint.swift",
            guard: #"mayTakeOver ? nil : .publishedBy(current.peer.host)"#,
            effect: "403 Published by 127.0.0.1; the viewers see no gap", scope: .users
        ) { target in
            let publisher = try Publisher(of: "live/gate", on: target)
            // One that is admitted before the publisher begins is refused later.
            let early = try Publisher(of: "live/gate", on: target, as: .rival)
            try early.announce().expect(200)
            try early.setUp().expect(200)
            try publisher.begin()
            publisher.send(publisher.keyframe())
            let viewer = try PublicationViewer(of: "live/gate", on: target)
            let late = try Publisher(of: "live/gate", on: target, as: .rival)
            for answer in [try early.record(), try late.announce()] {
                try verify(answer.head.hasPrefix("RTSP/1.0 403 Published by 127.0.0.1\r\n"), answer.head)
                publisher.send(publisher.keyframe(fill: 7))
                try viewer.expectFrame(filledWith: 7)
            }
        },
        Attack(
            "another publisher's session: RECORD, PAUSE, TEARDOWN, parameters",
            in: "RTSP/Server/ServerConnection+Publishing.swift",
            guard: "guard session == publication.session, publication.request.grant.user == grant.user else",
            effect: "454; the publication continues", scope: .users
        ) { target in
            let victim = try Publisher(of: "live/gate", on: target)
            try victim.begin()
            let rival = try Publisher(of: "live/wall", on: target, as: .rival)
            try rival.announce().expect(200)
            try rival.setUp().expect(200)
            try rival.socket.request("RECORD", rival.url, victim.session).expect(454)
            for method in ["GET_PARAMETER", "PAUSE", "TEARDOWN"] {
                try rival.socket.request(method, victim.url, victim.session).expect(454)
            }
            try victim.socket.request("GET_PARAMETER", victim.url, victim.session).expect(200)
        },
        Attack(
            "the path of a stream with its own source", in: "RTSPServer/Publishing/PublishingHandler.swift",
            guard: "guard let point = entry.publishing else", effect: "403 with this reason", scope: .users
        ) { target in
            let answer = try Publisher(of: "hall", on: target, as: .rival).announce().expect(403)
            try verify(answer.head.contains("403 Forbidden: /hall has a source of its own\r\n"), answer.head)
        },
        Attack(
            "names that other protocols need, or that leave their folder",
            in: "Server/Changing/Assembly+CreatedPaths.swift",
            guard: "guard isPathName(name) else", effect: "403 with this reason", scope: .users
        ) { target in
            let names = [
                "live/whep", "live/a/ws", "live/index.m3u8", "live/x.jpg", "live/a%20b", "live/a%5Cb",
                "live/a/b/c/d/e/f/g/h", "live/" + String(repeating: "a", count: 250), "live/%C3%BC",
            ]
            for name in names {
                let answer = try Publisher(of: name, on: target).announce()
                try verify(
                    answer.status == 403 && answer.head.contains("and no reserved name\r\n"), "\(name): \(answer.head)")
            }
        },
        Attack(
            "more paths than a user may create", in: "Server/Changing/Assembly+CreatedPaths.swift",
            guard: "< settings.publish.maximumPathsPerUser else", effect: "403 with this reason", scope: .users
        ) { target in
            try expectLimit(
                of: "mass", at: Setting.pathsPerUserLimit, 403, "reporter has too many paths of mass/*", target)
        },
        Attack(
            "more paths than a pattern allows", in: "Server/Changing/Assembly+CreatedPaths.swift",
            guard: "guard others.count < settings.publish.maximumPaths else", effect: "503 with this reason",
            scope: .users
        ) { target in
            try expectLimit(of: "crowd", at: Setting.pathLimit, 503, "crowd/* has 2 paths already", target)
        },
        Attack(
            "paths without RECORD", in: "Server/Changing/Assembly+CreatedPaths.swift",
            guard: ".now() + .seconds(Self.recordSeconds)", effect: "they are removed after 20 s", scope: .users,
            length: .patient
        ) { target in
            let name = "live/\(unusedName())"
            try Publisher(of: name, on: target).announce().expect(200)
            pause(22)
            // A request for a path that exists would remove it when its client has left.
            try target.logIn().request("DESCRIBE", target.url(name)).expect(404)
        },
        Attack(
            "100 tracks", in: "SDP/Text/Parser.swift", guard: "guard description.media.count < mediaLimit else",
            effect: "400 with this reason", scope: .users
        ) { target in
            let media = String(repeating: Publisher.video, count: 100)
            let answer = try Publisher(of: "live/gate", on: target).announce(Publisher.description(media: media))
            try verify(try answer.expect(400).head.contains("has more than 64 media\r\n"), answer.head)
        },
        Attack(
            "the same track of an announced stream again", in: "RTSP/Server/Publication.swift",
            guard: "guard !tracks.contains(where: { $0.medium == index }) else", effect: "455", scope: .users
        ) { target in
            let publisher = try Publisher(of: "live/gate", on: target)
            try publisher.announce().expect(200)
            try publisher.setUp().expect(200)
            try publisher.setUp(Target.interleaved(2)).expect(455)
        },
        Attack(
            "another description while the session exists", in: "RTSP/Server/ServerConnection+Publishing.swift",
            guard: "guard publication?.session == nil else { throw Refusal(.methodNotValidInThisState) }",
            effect: "455", scope: .users
        ) { target in
            let publisher = try Publisher(of: "live/gate", on: target)
            try publisher.begin()
            try publisher.announce().expect(455)
        },
        Attack(
            "terminal control characters in the name of a codec", in: "RTSPServer/Publishing/PublishingHandler.swift",
            guard: "$0.isASCII && $0.value >= 0x20 && $0.value != 0x7F", effect: "415 without them", scope: .users
        ) { target in
            let media = "m=video 0 RTP/AVP 96\r\na=rtpmap:96 EVIL\u{1B}[2J/90000\r\n"
            let answer = try Publisher(of: "live/gate", on: target).announce(Publisher.description(media: media))
            try verify(try answer.expect(415).head.contains("415 EVIL[2J is not supported\r\n"), answer.head)
        },
        Attack(
            "a title of 60 000 bytes", in: "Delivery/Publishing/PublishedTexts.swift",
            guard: "guard result.utf8.count + character.utf8.count <= byteLimit else { break }",
            effect: "viewers are told 200 bytes of it", scope: .users
        ) { target in
            let publisher = try Publisher(of: "live/gate", on: target)
            let title = String(repeating: "\u{7F}long ", count: 10_000)
            try publisher.begin(Publisher.description(title: title, media: Publisher.video))
            publisher.send(publisher.keyframe())
            let body = try target.logIn().request("DESCRIBE", publisher.url).expect(200).body
            try verify(body.contains("\r\ns=long long ") && body.utf8.count < 1_000, body)
        },
        Attack(
            "keepalives and reports, but no media", in: "Delivery/Reception/StreamReception.swift",
            guard: "if silenceDeadline <= now {", effect: "the connection is closed after 10 s", scope: .users,
            length: .patient
        ) { target in
            let publisher = try Publisher(of: "live/\(unusedName())", on: target)
            try publisher.begin()
            let isClosed = soon(within: 14) {
                pause(0.5)
                publisher.socket.send(interleaved(1, senderReport))
                publisher.socket.send(publisher.socket.text(of: "OPTIONS", publisher.url, publisher.session))
                return publisher.socket.closes(within: 0.5)
            }
            try verify(isClosed, "the silent publisher keeps its path")
        },
    ]

    /// Attacks with media.
    static let publishedMedia: [Attack] = [
        Attack(
            "a fragmented frame without an end", in: "RTP/Payload/NALUnits/NALUnitDepacketizer.swift",
            guard: "byteCount <= Self.maximumUnitBytes - bytes.count", effect: "at most 8 MB are kept", scope: .users
        ) { target in
            try expectBoundedMemory(of: target) { publisher, index in
                let payload = [0x7C, index == 0 ? 0x85 : 0x05] + [UInt8](repeating: 1, count: 60_000)
                return publisher.packet(payload, isMarked: false, after: 0)
            }
        },
        Attack(
            "a flood of frames", in: "Streams/Ring.swift", guard: "self.byteCount > bounds.byteCount ||",
            effect: "at most `ring.bytes` of them are kept", scope: .users
        ) { target in
            try expectBoundedMemory(of: target) { publisher, index in publisher.keyframe(byteCount: 60_000, after: 9) }
        },
        Attack(
            "a flood of datagrams", in: "Delivery/Loop/MediaLoop.swift", guard: "for _ in 0..<Self.batchesPerTurn",
            effect: "other clients get responses meanwhile", scope: .usersInTheClear
        ) { target in
            let (publisher, ports, server) = try datagramPublisher(of: "live/gate", on: target)
            try target.expectAnswers(during: 0.7) {
                for _ in 0..<200 { ports.send(publisher.keyframe(byteCount: 1_000, after: 9), toPort: server) }
            }
        },
        Attack(
            "other parameter sets with every keyframe, to disconnect the viewers", in: "Streams/Feed.swift",
            guard: "state.hasEnded = !state.packager.announced(tracks, after: former)",
            effect: "the viewers stay connected, and receive the sets in band", scope: .users
        ) { target in
            let publisher = try Publisher(of: "live/gate", on: target)
            try publisher.begin()
            publisher.send(publisher.keyframe())
            let viewer = try PublicationViewer(of: "live/gate", on: target)
            for index in 0..<100 as Range<UInt8> {
                // The level changes.
                let set: [UInt8] = [0x67, 0x42, 0xC0, index, 0xD9, 0x03, 0xC5, 0x68, 0x40]
                publisher.send(publisher.packet(set, isMarked: false))
                publisher.send(publisher.keyframe(fill: index, after: 0))
                try viewer.expectFrame(filledWith: index)
            }
        },
        Attack(
            "timestamps that jump back by an hour, to stop the viewers' clocks",
            in: "RTP/Reception/TrackTimeline.swift", guard: "if anchor.newest &- media > jumpThreshold { return true }",
            effect: "viewers' timestamps advance as time does", scope: .users
        ) { target in
            let publisher = try Publisher(of: "live/gate", on: target)
            try publisher.begin()
            publisher.send(publisher.keyframe())
            let viewer = try PublicationViewer(of: "live/gate", on: target)
            var times: [(arrival: ContinuousClock.Instant, timestamp: UInt32)] = []
            for index in 0..<50 as Range<UInt8> {
                publisher.send(publisher.keyframe(fill: 100 + index, after: index % 25 == 20 ? -324_000_000 : 3_600))
                publisher.socket.send(interleaved(1, senderReport))
                var frame = try viewer.frame()
                while frame.bytes.last != 100 + index { frame = try viewer.frame() }
                times.append((.now, frame.timestamp))
                pause(0.04)
            }
            let elapsed = (times[49].arrival - times[25].arrival) / .seconds(1)
            let media = Double(Int32(bitPattern: times[49].timestamp &- times[25].timestamp)) / 90_000
            try verify(abs(media - elapsed) < 0.5, "\(media) s of media in \(elapsed) s")
        },
        Attack(
            "another publisher's UDP ports", in: "RTSPServer/Publishing/PublishingHandler.swift",
            guard: "guard addresses.reserve(destinations) else { return nil }", effect: "461", scope: .usersInTheClear
        ) { target in
            let (publisher, ports, _) = try datagramPublisher(of: "live/gate", on: target)
            let rival = try Publisher(of: "live/wall", on: target, as: .rival)
            try rival.announce().expect(200)
            try rival.setUp("RTP/AVP;unicast;client_port=\(ports.port)-\(ports.port + 1)").expect(461)
            try publisher.socket.request("GET_PARAMETER", publisher.url, publisher.session).expect(200)
        },
        Attack(
            "media for another's stream, from another address before the publisher's first packet",
            in: "RTSPServer/Publishing/PublisherAddresses.swift",
            guard: "guard let sessions = unlatched[source.with(port: 0)] else { return nil }", effect: "no effect",
            scope: .usersInTheClear
        ) { target in
            let (publisher, ports, server) = try datagramPublisher(of: "live/gate", on: target)
            let stranger = try UDPSocket(at: .host(target.freshAddress()))
            for _ in 0..<3 { stranger.send(publisher.keyframe(fill: 66), toPort: server) }
            ports.send(publisher.keyframe(fill: 7), toPort: server)
            let viewer = try PublicationViewer(of: "live/gate", on: target)
            try viewer.expectFrame(filledWith: 7, not: 66)
        },
        Attack(
            "media for another's stream, from another port of the publisher's host",
            in: "RTSPServer/Publishing/PublisherSession.swift",
            guard: "guard case .udp = track.route, !track.latched.contains(.rtp) else", effect: "no effect",
            scope: .usersInTheClear
        ) { target in
            let (publisher, ports, server) = try datagramPublisher(of: "live/gate", on: target)
            ports.send(publisher.keyframe(fill: 6), toPort: server)
            let viewer = try PublicationViewer(of: "live/gate", on: target)
            try viewer.expectFrame(filledWith: 6)
            let stranger = try UDPSocket(at: .host("127.0.0.1"))
            for _ in 0..<3 { stranger.send(publisher.keyframe(fill: 66), toPort: server) }
            ports.send(publisher.keyframe(fill: 7), toPort: server)
            try viewer.expectFrame(filledWith: 7, not: 66)
        },
    ]

    /// A sender report, with a time of day and a timestamp that fit nothing.
    private static let senderReport: [UInt8] =
        [0x80, 200, 0, 6, 0, 0, 0xBE, 0xEF] + [UInt8](repeating: 0xAB, count: 20)

    /// A name of a path that no other attack has used.
    private static func unusedName() -> String { String(UInt64.random(in: 0 ... .max), radix: 36) }

    /// Announces more paths of a pattern than it allows, on one connection.
    private static func expectLimit(
        of pattern: String, at limit: Int, _ status: Int, _ reason: String, _ target: Target
    ) throws {
        var count = 0
        for _ in 0...limit {
            let answer = try Publisher(of: "\(pattern)/\(unusedName())", on: target).announce()
            guard answer.status != 200 else {
                count += 1
                continue
            }
            try verify(answer.status == status && answer.head.contains("\(reason)\r\n"), answer.head)
        }
        // Paths of the previous round may still exist.
        try verify(count <= limit, "\(count) paths were created")
    }

    /// Sends 96 MB of packets over TCP, and expects that the server's memory grows by less than half of that.
    private static func expectBoundedMemory(
        of target: Target, _ packet: (Publisher, _ index: Int) -> [UInt8]
    ) throws {
        let publisher = try Publisher(of: "live/\(unusedName())", on: target)
        try publisher.begin()
        let before = target.memory
        for index in 0..<1_600 {
            publisher.send(packet(publisher, index))
            guard index % 100 == 0, Sanitizer.current == nil else { continue }
            try verify(target.memory - before < 49_152, "\(target.memory - before) KB")
        }
        // All has been read.
        try publisher.socket.request("OPTIONS", publisher.url).expect(200)
        try publisher.socket.request("TEARDOWN", publisher.url, publisher.session).expect(200)
    }

    /// A publisher over UDP, its sockets, and the server's RTP port.
    private static func datagramPublisher(
        of path: String, on target: Target
    ) throws -> (Publisher, PublisherPorts, UInt16) {
        let ports = PublisherPorts(try RTPSocketPair.bind(evenIn: 59_002...60_000))
        let publisher = try Publisher(of: path, on: target)
        try publisher.announce().expect(200)
        let answer = try publisher.setUp("RTP/AVP;unicast;client_port=\(ports.port)-\(ports.port + 1)").expect(200)
        try publisher.record().expect(200)
        return (publisher, ports, answer.serverPort ?? 0)
    }
}

/// A reference to a noncopyable pair of sockets, so that a tuple can contain it.
private final class PublisherPorts {
    let sockets: RTPSocketPair
    var port: UInt16 { sockets.port }

    init(_ sockets: consuming RTPSocketPair) { self.sockets = sockets }

    /// Sends RTP.
    func send(_ bytes: [UInt8], toPort port: UInt16) { sockets.rtp.send(bytes, toPort: port) }
}
