import Synchronization
import TestSupport

/// A server of RTSP that attacks those that pull its stream.
struct HostileRTSPServer: HostileServer {
    let name: String
    let protection: Attack.Guard
    /// The visible effect.
    let effect: String
    /// A part of the reason that the log shows; `nil` if the pull goes on.
    let reason: String?
    /// Answers a request; returns false to close the connection.
    let script: @Sendable (ScriptedServer.Request, ScriptedServer.Peer) -> Bool

    init(
        _ name: String, in file: String, guard text: String, effect: String, reason: String? = nil,
        _ script: @escaping @Sendable (ScriptedServer.Request, ScriptedServer.Peer) -> Bool
    ) {
        (self.name, self.effect, self.reason, self.script) = (name, effect, reason, script)
        protection = Attack.Guard(file, text)
    }

    /// A server that sends media after its answer to PLAY.
    private init(
        _ name: String, in file: String, guard text: String, effect: String, reason: String? = nil,
        media: @escaping @Sendable (ScriptedServer.Peer) -> Bool
    ) {
        self.init(name, in: file, guard: text, effect: effect, reason: reason) { request, peer in
            switch request.method {
            case "DESCRIBE": peer.send(request.answer(body: Publisher.description))
            case "SETUP": peer.send(request.answer(["Session: 1", "Transport: \(Target.interleaved(0))"]))
            case "PLAY": peer.send(request.answer(["Session: 1"])) && media(peer)
            default: peer.send(request.answer())
            }
        }
    }

    static let all: [HostileRTSPServer] = [
        HostileRTSPServer(
            "answers nothing", in: "RTSP/Client/ClientConnection.swift", guard: ".noAnswer(pending.request.method)",
            effect: "given up after 10 s", reason: "no response to OPTIONS"
        ) { _, _ in true },
        HostileRTSPServer(
            "answers byte by byte", in: "RTSP/Client/ClientRequests.swift",
            guard: "deadline: now.advanced(byMilliseconds: timeoutMilliseconds))", effect: "given up after 10 s",
            reason: "no response to OPTIONS"
        ) { request, peer in
            for byte in request.answer(["X: \(String(repeating: "a", count: 1_000))"]) {
                guard peer.send([byte]) else { return false }
                pause(0.05)
            }
            return true
        },
        HostileRTSPServer(
            "answers with garbage", in: "RTSP/Client/ClientConnection.swift", guard: "close(.badMessage(error))",
            effect: "the connection is closed", reason: "invalid RTSP from the server"
        ) { _, peer in peer.send([UInt8](repeating: 0xFF, count: 1_000)) },
        HostileRTSPServer(
            "an endless header section", in: "RTSP/Messages/MessageHead.swift",
            guard: "limits.headByteCount - byteCount",
            effect: "the connection is closed", reason: "invalid RTSP from the server"
        ) { _, peer in
            guard peer.send(Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\nX: ".utf8)) else { return false }
            return repeats(4_000) { peer.send([UInt8](repeating: 0x61, count: 16_384)) }
        },
        HostileRTSPServer(
            "a description of 10 MB", in: "RTSP/Messages/MessageHead.swift", guard: "length <= limit",
            effect: "the connection is closed", reason: "invalid RTSP from the server"
        ) { request, peer in
            peer.send(request.answer(body: String(repeating: "a=x\r\n", count: 2_000_000)))
        },
        HostileRTSPServer(
            "a description of 100 tracks", in: "SDP/Text/Parser.swift",
            guard: "guard description.media.count < mediaLimit else", effect: "the connection is closed",
            reason: "the session description has more than 64 media"
        ) { request, peer in
            let media = String(repeating: Publisher.video, count: 100)
            return peer.send(request.answer(body: Publisher.description(media: media)))
        },
        HostileRTSPServer(
            "redirects to itself", in: "RTSPClient/ClientSession.swift",
            guard: "guard redirectionCount < plan.redirectionLimit else", effect: "given up after 5 redirections",
            reason: "the server redirects again and again"
        ) { request, peer in
            // The URL of the request.
            let url = request.head.split(separator: " ").dropFirst().first ?? ""
            return peer.send(request.answer(["Location: \(url)"], status: "302 Found"))
        },
        HostileRTSPServer(
            "redirects to an address that is not permitted", in: "Connecting/PermittedDestinations.swift",
            guard: "guard rules.admits(ip) else { return false }", effect: "not followed",
            reason: "connections to the address of rtsp://127.0.0.66:9/x are not permitted"
        ) { request, peer in
            peer.send(request.answer(["Location: rtsp://127.0.0.66:9/x"], status: "302 Found"))
        },
        HostileRTSPServer(
            "requests without reading the answers", in: "Connecting/ServerLink.swift",
            guard: "> Self.unsentLimit { fail(.unreadRequests) }", effect: "the connection is closed",
            reason: "the server does not read what is sent to it"
        ) { _, peer in
            let requests = Array(String(repeating: "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n", count: 1_000).utf8)
            return repeats(10_000) { peer.send(requests) }
        },
        HostileRTSPServer(
            "half a frame, then nothing", in: "Delivery/Reception/StreamReception.swift",
            guard: "if silenceDeadline <= now {", effect: "given up after 10 s",
            reason: "no media has come for 10 seconds"
        ) { peer in peer.send([0x24, 0, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 1_000)) },
        HostileRTSPServer(
            "a flood of frames", in: "Streams/Ring.swift", guard: "self.byteCount > bounds.byteCount ||",
            effect: "at most `ring.bytes` of them are kept"
        ) { peer in
            var packets = PacketWriter()
            return repeats(1_600) { peer.send(packets.packet([0x65] + [UInt8](repeating: 1, count: 60_000), after: 9)) }
        },
        HostileRTSPServer(
            "a fragmented frame without an end", in: "RTP/Payload/NALUnits/NALUnitDepacketizer.swift",
            guard: "byteCount <= Self.maximumUnitBytes - bytes.count", effect: "at most 8 MB are kept"
        ) { peer in
            var packets = PacketWriter()
            let fragment = [UInt8](repeating: 1, count: 60_000)
            var isFirst = true
            return repeats(1_600) {
                defer { isFirst = false }
                let payload = [0x7C, isFirst ? 0x85 : 0x05] + fragment
                return peer.send(packets.packet(payload, isMarked: false, after: 0))
            }
        },
    ]

    /// Calls `step` so often, or until it fails.
    private static func repeats(_ count: Int, _ step: () -> Bool) -> Bool {
        for _ in 0..<count where !step() { return false }
        return true
    }
}

/// Writes the interleaved packets of a video track.
private struct PacketWriter {
    private var number: UInt16 = 0
    private var timestamp: UInt32 = 0

    mutating func packet(_ payload: [UInt8], isMarked: Bool = true, after ticks: UInt32 = 3_600) -> [UInt8] {
        number &+= 1
        timestamp &+= ticks
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: timestamp >> $0) }
        let header = [0x80, (isMarked ? 0x80 : 0) | 96, UInt8(number >> 8), UInt8(number & 0xFF)] + bytes
        return Attack.interleaved(0, header + [0, 0, 0xBE, 0xEF] + payload)
    }
}
