import Foundation
import TestSupport

/// A server of RTMP that attacks those that pull a stream from it, or publish one to it.
struct HostileRTMPServer: HostileServer {
    let name: String
    let protection: Attack.Guard
    /// The visible effect.
    let effect: String
    /// A part of the reason that the log shows; `nil` if the session goes on.
    let reason: String?
    /// Attacks that concern only those that pull its stream.
    let isForPlayersOnly: Bool
    /// Attacks on a connection; returns once it is over, and false if the client has closed before.
    let attack: @Sendable (ScriptedRTMP.Client, LoopbackSocket) -> Bool

    init(
        _ name: String, in file: String, guard text: String, effect: String, reason: String? = nil,
        isForPlayersOnly: Bool = false,
        _ attack: @escaping @Sendable (ScriptedRTMP.Client, LoopbackSocket) -> Bool
    ) {
        (self.name, self.effect, self.reason, self.attack) = (name, effect, reason, attack)
        self.isForPlayersOnly = isForPlayersOnly
        protection = Attack.Guard(file, text)
    }

    static let all: [HostileRTMPServer] = [
        HostileRTMPServer(
            "answers nothing", in: "RTMPClient/ServerSession.swift",
            guard: "guard !hasStarted, deadline <= now else { return }", effect: "given up after 10 s",
            reason: "the server does not answer"
        ) { _, _ in true },
        HostileRTMPServer(
            "a handshake byte by byte", in: "RTMPClient/ServerSession.swift",
            guard: "deadline = now.advanced(byMilliseconds: Self.startMilliseconds)", effect: "given up after 10 s",
            reason: "the server does not answer"
        ) { _, client in
            repeats(1_000) { number in
                pause(0.05)
                return client.offers([number == 0 ? 3 : 0])
            }
        },
        HostileRTMPServer(
            "another version", in: "RTMP/Handshake/ClientHandshake.swift", guard: "throw .unsupportedVersion",
            effect: "the connection is closed", reason: "unsupported RTMP version 6"
        ) { _, client in client.offers([6] + [UInt8](repeating: 0, count: 1_536)) },
        HostileRTMPServer(
            "a message of 16 MB", in: "RTMP/Chunk/ChunkReader.swift", guard: "throw .messageTooLong(byteCount:",
            effect: "the connection is closed", reason: "a message of 16777215 bytes is longer than 4194304"
        ) { _, client in
            client.offers(ScriptedRTMP.handshake + ScriptedRTMP.header(20, byteCount: 0xFF_FFFF))
                && client.offers([UInt8](repeating: 0, count: 65_536))
        },
        HostileRTMPServer(
            "a message that is never completed", in: "RTMPClient/ServerSession.swift",
            guard: "fail(transport == nil ? SessionFailure(connection.delay)", effect: "given up after 10 s",
            reason: "the server does not answer"
        ) { _, client in
            let size = ScriptedRTMP.setChunkSize(0x7FFF_FFFF)
            guard client.offers(ScriptedRTMP.handshake + size + ScriptedRTMP.header(20, byteCount: 4 << 20)) else {
                return false
            }
            return repeats(60) { _ in client.offers([UInt8](repeating: 0, count: 65_536)) }
        },
        HostileRTMPServer(
            "unfinished messages in chunks of 2 GB", in: "RTMP/Chunk/ChunkReader.swift",
            guard: "throw .tooManyPartialBytes(limit:", effect: "the connection is closed",
            reason: "unfinished messages have more than 8388608 bytes"
        ) { client, peer in
            let part = [UInt8](repeating: 0, count: 65_536)
            // All but the last byte of 4 MB, in chunks of 65 536 bytes.
            guard peer.offers(ScriptedRTMP.acceptance(of: client)) else { return false }
            for stream in 8...10 as ClosedRange<UInt8> {
                let header = ScriptedRTMP.header(9, byteCount: 4 << 20, stream: 1, chunkStream: stream)
                guard peer.offers(header + part), repeats(62, { _ in peer.offers([0xC0 | stream] + part) }) else {
                    return false
                }
            }
            return true
        },
        HostileRTMPServer(
            "chunks without a length", in: "RTMP/Chunk/ChunkReader.swift",
            guard: "guard value > 0, value < 0x8000_0000 else", effect: "the connection is closed",
            reason: "invalid chunk size 0"
        ) { _, client in client.offers(ScriptedRTMP.handshake + ScriptedRTMP.setChunkSize(0)) },
        HostileRTMPServer(
            "objects inside each other as an answer", in: "RTMP/AMF0/AMF0Reader.swift",
            guard: "throw .dataTooDeep(limit:", effect: "the connection is closed", reason: "AMF0 objects nested deeper"
        ) { _, client in
            let nested = (0..<10_000).flatMap { _ in [3, 0, 1, 0x61] as [UInt8] }
            return client.offers(
                ScriptedRTMP.handshake + ScriptedRTMP.setChunkSize(0x10000) + ScriptedRTMP.result(of: 1, nested))
        },
        HostileRTMPServer(
            "thousands of values as an answer", in: "RTMP/AMF0/AMF0Reader.swift",
            guard: "throw .tooManyValues(limit:", effect: "the connection is closed", reason: "AMF0 values in a message"
        ) { _, client in
            client.offers(
                ScriptedRTMP.handshake + ScriptedRTMP.setChunkSize(0x10000)
                    + ScriptedRTMP.result(of: 1, [UInt8](repeating: 5, count: 60_000)))
        },
        HostileRTMPServer(
            "a flood of pings, whose answers are not read", in: "RTMPClient/ServerSession.swift",
            guard: "transport.pendingByteCount > Self.pendingLimit", effect: "the connection is closed",
            reason: "the server does not read what is sent to it"
        ) { client, peer in
            // User control event 6.
            let pings = (0..<1_000).flatMap { _ in ScriptedRTMP.message(4, [0, 6, 1, 2, 3, 4], chunkStream: 2) }
            return peer.offers(ScriptedRTMP.acceptance(of: client)) && repeats(3_000) { _ in peer.offers(pings) }
        },
        HostileRTMPServer(
            "windows of zero bytes, of 4 GB and of one byte, and then a flood",
            in: "RTMP/Connection/Acknowledgements.swift", guard: "peerWindowByteCount = max(byteCount, 1024)",
            effect: "an acknowledgement for each kilobyte at most"
        ) { client, peer in
            guard peer.offers(ScriptedRTMP.acceptance(of: client)) else { return false }
            for window in [0, 0xFFFF_FFFF, 1] as [UInt32] {
                // Window Acknowledgement Size; Set Peer Bandwidth with a valid type and with another; Acknowledgement.
                let messages =
                    ScriptedRTMP.control(5, window) + ScriptedRTMP.control(6, window, [0])
                    + ScriptedRTMP.control(6, window, [0xFF]) + ScriptedRTMP.control(3, window)
                guard peer.offers(messages) else { return false }
            }
            // Of an unknown type, so that they cost nothing but the acknowledgement.
            let message = ScriptedRTMP.message(99, [UInt8](repeating: 0, count: 1_024))
            return repeats(10_000) { _ in peer.offers(message) }
        },
        HostileRTMPServer(
            "accepts, and closes at once", in: "Server/Input/RestartSchedule.swift",
            guard: "nextPause = min(nextPause * 2", effect: "the next attempt comes later each time",
            reason: "the server closed the connection"
        ) { client, peer in
            guard peer.offers(ScriptedRTMP.acceptance(of: client)) else { return false }
            peer.endSending()
            return true
        },
        HostileRTMPServer(
            "a long reason with line breaks", in: "RTMP/Client/ClientOrder.swift",
            guard: "private static let maximumLength = 200", effect: "one line with 200 characters of the reason",
            reason: "the server refused: first"
        ) { client, peer in
            let code = client == .publisher ? "NetStream.Publish.BadName" : "NetStream.Play.Failed"
            // One character has thousands of accents.
            let text = "first\n2026 fatal error\u{1B}[31m" + String(repeating: "\u{301}", count: 30_000)
            return peer.offers(ScriptedRTMP.connected + ScriptedRTMP.status("error", code, text))
        },
        HostileRTMPServer(
            "media that is garbage", in: "RTMPDelivery/MessageReception.swift",
            guard: "return .unusable(reasons: reasons)", effect: "given up after 3 s", reason: "malformed FLV messages",
            isForPlayersOnly: true
        ) { client, peer in
            var random = SplitMix64(seed: 3)
            guard peer.offers(ScriptedRTMP.acceptance(of: client)) else { return false }
            return repeats(1_000) { number in
                pause(0.005)
                // A decoder configuration of H.264 in version 255, a frame, and data.
                let heads: [(type: UInt8, bytes: [UInt8])] = [
                    (9, [0x17, 0, 0, 0, 0, 0xFF]), (9, [0x17, 1, 0, 0, 0]), (18, [2]),
                ]
                let head = heads[number % heads.count]
                let rest = (0..<Int.random(in: 0..<2_000, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                return peer.offers(ScriptedRTMP.message(head.type, head.bytes + rest, stream: 1))
            }
        },
        HostileRTMPServer(
            "a flood of frames", in: "Streams/Ring.swift", guard: "self.byteCount > bounds.byteCount ||",
            effect: "at most `ring.bytes` of them are kept", isForPlayersOnly: true
        ) { client, peer in
            guard peer.offers(ScriptedRTMP.acceptance(of: client) + configuration) else { return false }
            let slice: [UInt8] = [0, 0, 0xEA, 0x60, 0x65] + [UInt8](repeating: 1, count: 59_999)
            return repeats(150) { _ in
                peer.offers(ScriptedRTMP.message(9, [0x17, 1, 0, 0, 0] + slice, stream: 1))
            }
        },
        HostileRTMPServer(
            "a flood of media for a publisher", in: "RTMP/Client/RTMPClientSession.swift",
            guard: "if case .running = state, target.action == .play", effect: "it is ignored"
        ) { client, peer in
            guard client == .publisher else { return true }
            let frame = ScriptedRTMP.message(9, [UInt8](repeating: 0x17, count: 60_000), stream: 1)
            return peer.offers(ScriptedRTMP.acceptance(of: client))
                && repeats(150) { _ in
                    // It takes what is published, so that it is not given up.
                    _ = peer.receive(within: 0)
                    return peer.offers(frame)
                }
        },
    ]

    /// The decoder configuration of H.264 (`AVCDecoderConfigurationRecord`), for 640×360.
    private static let configuration: [UInt8] = {
        let sequence: [UInt8] = [
            0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
            0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
        ]
        let picture: [UInt8] = [0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]
        let record: [UInt8] =
            [1, 0x64, 0, 0x1E, 0xFF, 0xE1, 0, UInt8(sequence.count)] + sequence + [1, 0, UInt8(picture.count)] + picture
        return ScriptedRTMP.message(9, [0x17, 0, 0, 0, 0] + record, stream: 1)
    }()

    /// Calls `step` with 0, 1, …, so often, or until it fails.
    private static func repeats(_ count: Int, _ step: (Int) -> Bool) -> Bool {
        for number in 0..<count where !step(number) { return false }
        return true
    }
}

extension LoopbackSocket {
    /// Sends all bytes; false if the client has closed, or takes none for a while.
    fileprivate func offers(_ bytes: [UInt8]) -> Bool { offer(bytes, patience: 15) == bytes.count }
}
