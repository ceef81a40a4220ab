import Foundation
import TestSupport

/// Attacks over RTMP (Adobe's RTMP specification). They come without TLS, also to servers that are attacked through TLS otherwise.
extension Attack {
    static let rtmp: [Attack] = [
        Attack(
            "RTMP: a handshake that stalls", in: "RTMPServer/Service/RTMPService+Connections.swift",
            guard: #""the client has not connected within \(seconds) s""#, effect: "the connection is closed after 1 s",
            length: .patient
        ) { target in
            for bytes in [[], [3], [3] + [UInt8](repeating: 0, count: 1_000)] as [[UInt8]] {
                let client = try RTMPAttacker(target, opens: false)
                client.send(bytes)
                try client.expectEnd(within: 4)
            }
        },
        Attack(
            "RTMP: another version, as of RTMPE, HTTP or TLS", in: "RTMP/Handshake/ServerHandshake.swift",
            guard: "throw .unsupportedVersion", effect: "the connection is closed"
        ) { target in
            for version in [0, 6, 22, 71] as [UInt8] {
                let client = try RTMPAttacker(target, opens: false)
                client.send([version] + [UInt8](repeating: 0, count: 1_536))
                try client.expectEnd()
            }
        },
        Attack(
            "RTMP: a message of 16 MB", in: "RTMP/Chunk/ChunkReader.swift",
            guard: "throw .messageTooLong(byteCount:", effect: "the connection is closed"
        ) { target in
            let client = try RTMPAttacker(target)
            client.send([3, 0, 0, 0, 0xFF, 0xFF, 0xFF, 20, 0, 0, 0, 0])
            try client.expectEnd()
        },
        Attack(
            "RTMP: a chunk size of 2 GB, of 0, or with the first bit", in: "RTMP/Chunk/ChunkReader.swift",
            guard: "guard value > 0, value < 0x8000_0000 else",
            effect: "the connection is closed, or the size counts for nothing"
        ) { target in
            for size in [[0, 0, 0, 0], [0x80, 0, 0, 1]] as [[UInt8]] {
                let client = try RTMPAttacker(target)
                client.send([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0] + size)
                try client.expectEnd()
            }
            let client = try RTMPAttacker(target)
            client.send([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF])
            client.send([3, 0, 0, 0, 0xFF, 0xFF, 0xFF, 20, 0, 0, 0, 0])
            try client.expectEnd()
        },
        Attack(
            "RTMP: more chunk streams than a connection needs", in: "RTMP/Chunk/ChunkReader.swift",
            guard: "throw .tooManyChunkStreams(limit:", effect: "the connection is closed"
        ) { target in
            let client = try RTMPAttacker(target)
            for stream in 3..<60 as Range<UInt8> {
                client.send([stream, 0, 0, 0, 0, 1, 0, 20, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 128))
            }
            try client.expectEnd()
        },
        Attack(
            "RTMP: unfinished messages on all chunk streams", in: "RTMP/Chunk/ChunkReader.swift",
            guard: "throw .tooManyPartialBytes(limit:", effect: "the connection is closed"
        ) { target in
            let client = try RTMPAttacker(target)
            // Chunks of 60 KB, of which the last byte of the message is missing.
            client.send([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0xEA, 0x60])
            for stream in 3..<9 as Range<UInt8> {
                client.send([stream, 0, 0, 0, 0, 0xEA, 0x61, 9, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 60_000))
            }
            try client.expectEnd()
        },
        Attack(
            "RTMP: objects of AMF0 inside each other", in: "RTMP/AMF0/AMF0Reader.swift",
            guard: "throw .dataTooDeep(limit:", effect: "the connection is closed"
        ) { target in
            let client = try RTMPAttacker(target)
            var payload: [UInt8] = [2, 0, 7] + Array("connect".utf8) + [0, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]
            for _ in 0..<20 { payload += [3, 0, 1, 0x61] }
            client.send([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0x10, 0])
            client.send([3, 0, 0, 0, 0, 0, UInt8(payload.count), 20, 0, 0, 0, 0] + payload)
            try client.expectEnd()
        },
        Attack(
            "RTMP: thousands of values of AMF0", in: "RTMP/AMF0/AMF0Reader.swift",
            guard: "throw .tooManyValues(limit:", effect: "the connection is closed"
        ) { target in
            let client = try RTMPAttacker(target)
            let payload: [UInt8] =
                [2, 0, 7] + Array("connect".utf8) + [0, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]
                + [UInt8](repeating: 5, count: 3_000)
            client.send([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0x20, 0])
            client.send(
                [3, 0, 0, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), 20, 0, 0, 0, 0] + payload)
            try client.expectEnd()
        },
        Attack(
            "RTMP: publishing without the right to it", in: "RTMPServer/Service/RTMPService+Decisions.swift",
            guard: "switch authorise(.publish, path, address, of: connection, at: now)",
            effect: "`NetStream.Publish.Unauthorized`", scope: .users
        ) { target in
            let query = "?user=\(Account.viewer.name)&pass=\(Account.viewer.password)"
            let client = try RTMPAttacker(target)
            client.command("publish", to: "live", "gate\(query)")
            try client.expect("NetStream.Publish.Unauthorized")
        },
        Attack(
            "RTMP: guessing passwords", in: "RTMPServer/Service/RTMPService+Decisions.swift",
            guard: "if connection.access.countGuess(failure, at: now)",
            effect: "the address is locked out", scope: .users
        ) { target in
            let address = target.freshAddress()
            for number in 0..<11 {
                let client = try RTMPAttacker(target, from: address)
                client.command("play", to: "some", "cam?user=\(Account.viewer.name)&pass=guess\(number)")
                try client.expect("NetStream.Play.Failed")
            }
            let client = try RTMPAttacker(target, from: address)
            client.command("play", to: "some", "cam?user=\(Account.viewer.name)&pass=\(Account.viewer.password)")
            try client.expect("too many wrong passwords")
        },
        Attack(
            "RTMP: exhausting the descriptors", in: "RTMPServer/Service/PortWatch.swift",
            guard: "place.unwatch(port.listener.fd)",
            effect: "new connections wait without using processor time; current viewers continue"
        ) { target in
            // The loop also sends media, so its usual work is subtracted.
            let usual = target.workInHalfASecond(of: "apus-loop-0")
            let sockets = try (0..<Target.descriptorLimit).map { _ in
                try LoopbackSocket(port: target.server.rtmpPort)
            }
            pause(0.1)
            let work = target.workInHalfASecond(of: "apus-loop-0") - usual
            // In hundredths of a second; a busy loop would use 50.
            try verify(work < 20, "the server used \(work) hundredths of 0.5 s more than usual")
            withExtendedLifetime(sockets) {}
        },
        Attack(
            "RTMP: a publisher that sends nothing", in: "RTMPDelivery/MessageReception.swift",
            guard: "if now - lastMedia >= silence { return .silence(seconds: silenceSeconds) }",
            effect: "`NetStream.Publish.Failed` after 10 s", scope: .users, length: .patient
        ) { target in
            let query = "?user=\(Account.reporter.name)&pass=\(Account.reporter.password)"
            let client = try RTMPAttacker(target)
            client.command("publish", to: "live", "idle\(query)")
            try client.expect("NetStream.Publish.Start")
            try client.expect("NetStream.Publish.Failed", within: 14)
        },
        Attack(
            "RTMP: a publisher's media that is garbage", in: "RTMPDelivery/MessageReception.swift",
            guard: "return .unusable(reasons: reasons)", effect: "`NetStream.Publish.Failed` after 3 s", scope: .users,
            length: .patient
        ) { target in
            let query = "?user=\(Account.reporter.name)&pass=\(Account.reporter.password)"
            let client = try RTMPAttacker(target)
            client.command("publish", to: "live", "noise\(query)")
            try client.expect("NetStream.Publish.Start")
            var random = SplitMix64(seed: 4)
            // A decoder configuration of H.264 in version 255, a frame, and one of AAC.
            let heads: [(type: UInt8, bytes: [UInt8])] = [
                (9, [0x17, 0, 0, 0, 0, 0xFF]), (9, [0x17, 1, 0, 0, 0]), (8, [0xAF, 1]),
            ]
            for number in 0..<600 {
                let head = heads[number % heads.count]
                let count = Int.random(in: 0..<2_000, using: &random)
                client.media(head.type, head.bytes + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
                pause(0.01)
            }
            try client.expect("NetStream.Publish.Failed")
            try client.expect("malformed FLV messages")
        },
    ]
}

extension Target {
    /// In hundredths of a second.
    fileprivate func workInHalfASecond(of thread: String) -> Int {
        let before = work(ofThreadsNamed: thread)
        pause(0.5)
        return work(ofThreadsNamed: thread) - before
    }
}

/// A client of RTMP that writes its bytes by hand.
final class RTMPAttacker {
    private let socket: LoopbackSocket
    private var received: [UInt8] = []

    /// - Parameter opens: Whether the handshake is done.
    init(_ target: Target, from address: String? = nil, opens: Bool = true) throws {
        socket = try LoopbackSocket(port: target.server.rtmpPort, from: address)
        guard opens else { return }
        send([3] + [UInt8](repeating: 0, count: 1_536))
        let end = ContinuousClock.now + .seconds(5)
        while received.count < 3_073, ContinuousClock.now < end {
            guard let bytes = socket.receive(within: 1), !bytes.isEmpty else { break }
            received += bytes
        }
        try verify(received.count >= 3_073, "no handshake: \(received.count) bytes")
        send(Array(received[1..<1_537]))
        received = []
    }

    func send(_ bytes: [UInt8]) { socket.send(bytes) }

    /// Connects to an application, and publishes or plays a stream.
    func command(_ name: String, to app: String, _ stream: String) {
        func text(_ text: String) -> [UInt8] {
            [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + text.utf8
        }
        func number(_ first: UInt8, _ second: UInt8) -> [UInt8] { [0, first, second, 0, 0, 0, 0, 0, 0] }
        func message(_ payload: [UInt8], stream: UInt8) -> [UInt8] {
            [3, 0, 0, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), 20, stream, 0, 0, 0] + payload
        }
        // Chunks of 4 096 bytes, so that each message has one.
        send([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0x10, 0])
        let connect = [2] + text("connect") + number(0x3F, 0xF0) + [3] + text("app") + [2] + text(app) + [0, 0, 9]
        send(message(connect, stream: 0))
        send(message([2] + text("createStream") + number(0x40, 0) + [5], stream: 0))
        send(message([2] + text(name) + number(0, 0) + [5, 2] + text(stream), stream: 1))
    }

    /// Sends a message with media of the stream, of at most 4 096 bytes.
    func media(_ type: UInt8, _ payload: [UInt8]) {
        send([4, 0, 0, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, 1, 0, 0, 0] + payload)
    }

    /// Expects that the server sends this text.
    func expect(_ text: String, within seconds: Double = 5) throws {
        let end = ContinuousClock.now + .seconds(seconds * Sanitizer.patience)
        while ContinuousClock.now < end {
            if received.firstRange(of: Array(text.utf8)) != nil { return }
            guard let bytes = socket.receive(within: 0.1) else { continue }
            guard !bytes.isEmpty else { break }
            received += bytes
        }
        try verify(
            received.firstRange(of: Array(text.utf8)) != nil, "\(text): \(String(decoding: received, as: UTF8.self))")
    }

    /// Expects that the server closes the connection.
    func expectEnd(within seconds: Double = 5) throws {
        let end = ContinuousClock.now + .seconds(seconds * Sanitizer.patience)
        while ContinuousClock.now < end {
            if let bytes = socket.receive(within: 0.1), bytes.isEmpty { return }
        }
        throw Breach(description: "the connection is open")
    }
}
