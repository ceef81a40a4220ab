import TestSupport

/// `$` frames (RFC 2326, section 10.12), and who does not read, or does not finish.
extension Attack {
    static let interleaving: [Attack] = [
        Attack(
            "another track's channels", "RTSP/Server/ChannelTable.swift",
            "owners[pair.rtp] == nil && owners[pair.rtcp] == nil",
            "461"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp("cam", on: socket)
            for channel in [0, 1] {
                let headers = session.merging(["Transport": Target.interleaved(channel)]) { $1 }
                try socket.request("SETUP", target.url("cam/track2"), headers).expect(461)
            }
        },
        Attack("one channel for both", "RTSP/Server/ChannelTable.swift", "pair.rtp != pair.rtcp", "461") { target in
            let transport = ["Transport": "RTP/AVP/TCP;unicast;interleaved=4-4"]
            try target.logIn().request("SETUP", target.url("hall/track1"), transport).expect(461)
        },
        Attack(
            "frames of a channel that is nobody's, to keep a session", "RTSP/Server/ServerConnection.swift",
            "guard let session = channels.owner(of: channel) else", "454 when its time is over", .all, .patient
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp(on: socket)
            for _ in 0..<7 {
                socket.send(interleaved(99, [1, 2, 3]))
                pause(1)
            }
            try socket.request("GET_PARAMETER", url, session).expect(454)
        },
        Attack(
            "a report whose length lies", "RTP/RTCP/Compound.swift", "reader.take(Int(words) * 4) else",
            "nothing of it is done"
        ) { target in
            var lie = ControlBytes.pictureLoss(of: nil)
            lie[3] = 200
            try expectNoRandomAccess(ControlBytes.receiverReport + lie, of: target)
        },
        Attack(
            "a plea without a report", "RTP/RTCP/Compound.swift",
            "guard !isFirst || packetType == 200 || packetType == 201",
            "nothing of it is done"
        ) { target in
            try expectNoRandomAccess(ControlBytes.pictureLoss(of: nil), of: target)
        },
        Attack(
            "half a frame, dribbled", "RTSP/Messages/Parser.swift",
            "case .betweenMessages = stage { return input.remaining > 0 }",
            "the end after 1 s", .all, .patient
        ) { target in
            try expectEndOfDribble([0x24, 0, 0xFF, 0xFF], of: target)
        },
        Attack(
            "half a head, dribbled", "RTSP/Server/ConnectionTimer.swift",
            "messageDeadline <= now { return .messageTooSlow",
            "the end after 1 s", .all, .patient
        ) { target in
            try expectEndOfDribble(Array("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: ".utf8), of: target)
        },
        Attack(
            "frames by the megabyte", "RTSPServer/ServerLoop+Connections.swift",
            "guard connection.machine.wantsBytes, MonotonicTime.now() < end else", "others are answered meanwhile"
        ) { target in
            let flooder = try target.connect()
            let frames = Array(repeating: interleaved(99, []), count: 16_384).flatMap(\.self)
            try target.expectAnswers(during: 0.7) { _ = flooder.socket.offer(frames, patience: 0.05) }
        },
        Attack(
            "requests by the megabyte, and no answer read", "RTSPServer/ServerLoop+Connections.swift",
            "connection.output.pendingByteCount < options.maximumPendingReplyBytes", "they wait at the client"
        ) { target in
            let flooder = try target.connect(bufferByteCount: 16_384)
            let request = "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n"
            let taken = flooder.socket.offer(Array(String(repeating: request, count: 40_000).utf8), patience: 0.6)
            try hold(taken < 800_000, "it took \(taken) bytes")
        },
        Attack(
            "requests by the megabyte behind one that waits", "RTSP/Server/ServerConnection.swift",
            "parser.waitingByteCount < configuration.maximumWaitingByteCount / 2", "they wait at the client", .all,
            .patient
        ) { target in
            let socket = try target.logIn(bufferByteCount: 16_384)
            let describe = socket.text(of: "DESCRIBE", target.url("cam-late"))
            let requests = String(repeating: "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n", count: 100_000)
            let taken = socket.socket.offer(Array((describe + requests).utf8), patience: 0.3)
            try hold(taken < 2_500_000, "it took \(taken) bytes")
            // It has not been closed.
            try socket.expect(503, within: 6)
        },
        Attack(
            "requests by the megabyte behind those that wait, on 63 connections", "RTSP/Server/ServerConnection.swift",
            "if messageAllowance == 0 { hasUnprocessedMessages = parser.waitingByteCount > 0 }",
            "others are answered meanwhile"
        ) { target in
            let requests = Array(String(repeating: "OPTIONS * RTSP/1.0\nCSeq: 1\n\n", count: 1_000_000 / 29).utf8)
            let flooders = try (0..<63).map { _ in
                let flooder = try target.logIn()
                flooder.send(flooder.text(of: "DESCRIBE", target.url("cam-late")))
                _ = flooder.socket.offer(requests, patience: 0)
                return flooder
            }
            // They are answered after 3 s, and then the requests behind them.
            try target.expectAnswers(during: 4, each: 0.25) { pause(0.1) }
            withExtendedLifetime(flooders) {}
        },
        Attack(
            "a viewer that stops reading", "Streams/SlowViewerPolicy.swift",
            "if stall >= maximumStall { return .disconnect }",
            "the end after 2 s", .all, .patient
        ) { target in
            let socket = try target.logIn(bufferByteCount: 4_096)
            let (url, session) = try target.setUp(on: socket)
            try socket.request("PLAY", url, session).expect(200)
            pause(5)
            try socket.expectEnd(within: 1)
        },
    ]

    /// A frame as it is sent.
    static func interleaved(_ channel: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [0x24, channel, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    /// Has a viewer say `bytes` as RTCP.
    private static func expectNoRandomAccess(_ bytes: [UInt8], of target: Target) throws {
        try target.expectNoRandomAccess { viewer in
            for _ in 0..<10 { viewer.send(interleaved(1, bytes)) }
        }
    }

    /// Begins so, and goes on byte by byte.
    private static func expectEndOfDribble(_ bytes: [UInt8], of target: Target) throws {
        let socket = try target.logIn()
        socket.send(bytes)
        let isClosed = soon(within: 3) {
            socket.send([UInt8(ascii: "a")])
            return socket.closes(within: 0.2)
        }
        try hold(isClosed, "it is waited for")
    }
}
