import TestSupport

/// Attacks with `$` frames (RFC 2326, section 10.12), by clients that do not read, and with incomplete messages.
extension Attack {
    static let interleaving: [Attack] = [
        Attack(
            "the channels of another track", in: "RTSP/Server/ChannelTable.swift",
            guard: "owners[pair.rtp] == nil && owners[pair.rtcp] == nil",
            effect: "461"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp("cam", on: socket)
            for channel in [0, 1] {
                let headers = session.merging(["Transport": Target.interleaved(channel)]) { $1 }
                try socket.request("SETUP", target.url("cam/track2"), headers).expect(461)
            }
        },
        Attack(
            "one channel for RTP and RTCP", in: "RTSP/Server/ChannelTable.swift", guard: "pair.rtp != pair.rtcp",
            effect: "461"
        ) { target in
            let transport = ["Transport": "RTP/AVP/TCP;unicast;interleaved=4-4"]
            try target.logIn().request("SETUP", target.url("hall/track1"), transport).expect(461)
        },
        Attack(
            "frames on an unused channel, to keep a session alive", in: "RTSP/Server/ServerConnection.swift",
            guard: "guard let session = channels.owner(of: channel) else", effect: "454 after the session timeout",
            scope: .all, length: .patient
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
            "an RTCP report with a wrong length", in: "RTP/RTCP/Compound.swift",
            guard: "reader.take(Int(words) * 4) else",
            effect: "no effect"
        ) { target in
            var wrong = ControlBytes.pictureLoss(of: nil)
            wrong[3] = 200
            try expectNoKeyframe(ControlBytes.receiverReport + wrong, of: target)
        },
        Attack(
            "a keyframe request without a report", in: "RTP/RTCP/Compound.swift",
            guard: "guard !isFirst || isReport || allowsReducedSize",
            effect: "no effect"
        ) { target in
            try expectNoKeyframe(ControlBytes.pictureLoss(of: nil), of: target)
        },
        Attack(
            "an incomplete frame, byte by byte", in: "RTSP/Messages/Parser.swift",
            guard: "case .betweenMessages = stage { return input.remaining > 0 }",
            effect: "the connection is closed after 1 s", scope: .all, length: .patient
        ) { target in
            try expectEndOfSlowInput([0x24, 0, 0xFF, 0xFF], of: target)
        },
        Attack(
            "an incomplete request, byte by byte", in: "RTSP/Server/ConnectionTimer.swift",
            guard: "messageDeadline <= now { return .messageTooSlow",
            effect: "the connection is closed after 1 s", scope: .all, length: .patient
        ) { target in
            try expectEndOfSlowInput(Array("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: ".utf8), of: target)
        },
        Attack(
            "megabytes of frames", in: "RTSPServer/Connections/ConnectionReader.swift",
            guard: "guard connection.machine.wantsBytes, MonotonicTime.now() < end else",
            effect: "other clients get responses meanwhile"
        ) { target in
            let flooder = try target.connect()
            let frames = Array(repeating: interleaved(99, []), count: 16_384).flatMap(\.self)
            try target.expectAnswers(during: 0.7) { _ = flooder.socket.offer(frames, patience: 0.05) }
        },
        Attack(
            "megabytes of requests without reading responses",
            in: "RTSPServer/Connections/ConnectionReader.swift",
            guard: "connection.output.pendingByteCount < maximumPendingReplyBytes",
            effect: "they stay unread in the client's buffer"
        ) { target in
            let flooder = try target.connect(bufferByteCount: 16_384)
            let request = "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n"
            let taken = flooder.socket.offer(Array(String(repeating: request, count: 40_000).utf8), patience: 0.6)
            try verify(taken < 800_000, "the server read \(taken) bytes")
        },
        Attack(
            "megabytes of requests after one that waits", in: "RTSP/Server/ServerConnection.swift",
            guard: "parser.waitingByteCount < configuration.maximumWaitingByteCount / 2",
            effect: "they stay unread in the client's buffer", scope: .all,
            length: .patient
        ) { target in
            let socket = try target.logIn(bufferByteCount: 16_384)
            let describe = socket.text(of: "DESCRIBE", target.url("cam-late"))
            let requests = String(repeating: "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n", count: 100_000)
            let taken = socket.socket.offer(Array((describe + requests).utf8), patience: 0.3)
            try verify(taken < 2_500_000, "the server read \(taken) bytes")
            // The connection is still open.
            try socket.expect(503, within: 6)
        },
        Attack(
            "megabytes of requests after waiting ones, on 63 connections", in: "RTSP/Server/ServerConnection.swift",
            guard: "if messageAllowance == 0 { hasUnprocessedMessages = parser.waitingByteCount > 0 }",
            effect: "other clients get responses meanwhile"
        ) { target in
            let requests = Array(String(repeating: "OPTIONS * RTSP/1.0\nCSeq: 1\n\n", count: 1_000_000 / 29).utf8)
            let flooders = try (0..<63).map { _ in
                let flooder = try target.logIn()
                flooder.send(flooder.text(of: "DESCRIBE", target.url("cam-late")))
                _ = flooder.socket.offer(requests, patience: 0)
                return flooder
            }
            // The waiting requests are answered after 3 s, followed by the requests after them.
            try target.expectAnswers(during: 4) { pause(0.1) }
            withExtendedLifetime(flooders) {}
        },
        Attack(
            "a viewer that stops reading", in: "Streams/Policies/SlowViewerPolicy.swift",
            guard: "if stall >= maximumStall { return .disconnect }",
            effect: "the connection is closed after 2 s", scope: .all, length: .patient
        ) { target in
            let socket = try target.logIn(bufferByteCount: 4_096)
            let (url, session) = try target.setUp(on: socket)
            try socket.request("PLAY", url, session).expect(200)
            pause(5)
            try socket.expectEnd(within: 1)
        },
    ]

    /// Returns an interleaved frame.
    static func interleaved(_ channel: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [0x24, channel, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    /// Makes a viewer send `bytes` as RTCP and expects no keyframe.
    private static func expectNoKeyframe(_ bytes: [UInt8], of target: Target) throws {
        try target.expectNoKeyframe { viewer in
            for _ in 0..<10 { viewer.send(interleaved(1, bytes)) }
        }
    }

    /// Sends `bytes`, then one byte at a time, and expects the end of the connection.
    private static func expectEndOfSlowInput(_ bytes: [UInt8], of target: Target) throws {
        let socket = try target.logIn()
        socket.send(bytes)
        let isClosed = soon(within: 3) {
            socket.send([UInt8(ascii: "a")])
            return socket.closes(within: 0.2)
        }
        try verify(isClosed, "the server still waits")
    }
}
