import Reactor
import Synchronization
import TestSupport

/// A server of SRT that attacks those that call it, as far as a UDP socket can.
struct HostileSRTServer: Sendable {
    let name: String
    /// Parts of the possible reasons, one of which the log shows.
    let reasons: [String]
    /// The datagrams that answer one.
    let answer: @Sendable (SRTDatagram) -> [Answer]

    struct Answer {
        var bytes: [UInt8]
        /// Whether it comes from another port than the one that was called.
        var comesFromElsewhere = false
    }

    private init(_ name: String, reason: String..., answer: @escaping @Sendable (SRTDatagram) -> [Answer]) {
        (self.name, reasons, self.answer) = (name, reason, answer)
    }

    static let all: [HostileSRTServer] = [
        HostileSRTServer("SRT: answers nothing", reason: "the server does not answer") { _ in [] },
        // If libsrt takes some of it for a handshake, it rejects the server (SRT_REJ_ROGUE, 4).
        HostileSRTServer(
            "SRT: answers with garbage", reason: "the server does not answer", "(reason 4 of libsrt)"
        ) { datagram in
            var random = SplitMix64(seed: UInt64(datagram.bytes.count))
            return (0..<20).map { number in
                let bytes = (0..<(number * 70)).map { _ in UInt8.random(in: 0...255, using: &random) }
                // Half of them are for the socket of the caller.
                guard number.isMultiple(of: 2), bytes.count >= 16 else { return Answer(bytes: bytes) }
                return Answer(bytes: bytes[..<12] + datagram.callerID + bytes[16...])
            }
        },
        HostileSRTServer("SRT: rejects callers", reason: "the server has no such stream (404)") { datagram in
            [Answer(bytes: datagram.isInduction ? datagram.induction() : datagram.conclusion(type: 2_404))]
        },
        HostileSRTServer("SRT: rejects for an unknown reason", reason: "with code 60000") { datagram in
            [Answer(bytes: datagram.isInduction ? datagram.induction() : datagram.conclusion(type: 61_000))]
        },
        HostileSRTServer("SRT: answers from another port", reason: "the server does not answer") { datagram in
            let bytes = datagram.isInduction ? datagram.induction() : datagram.conclusion(type: 2_404)
            return [Answer(bytes: bytes, comesFromElsewhere: true)]
        },
        HostileSRTServer("SRT: a handshake that never ends", reason: "the server does not answer") { datagram in
            [Answer(bytes: datagram.induction())]
        },
        HostileSRTServer("SRT: a handshake with extensions beyond it", reason: "(reason 4 of libsrt)") { datagram in
            guard !datagram.isInduction else { return [Answer(bytes: datagram.induction())] }
            // SRT_CMD_HSRSP with 65 535 words.
            return [Answer(bytes: datagram.conclusion(type: 0xFFFF_FFFF, extensions: [0, 2, 0xFF, 0xFF, 1, 2, 3, 4]))]
        },
        HostileSRTServer("SRT: accepts, and says nothing", reason: "the server has ended the connection") { datagram in
            guard datagram.isHandshake else { return [] }
            return [Answer(bytes: datagram.isInduction ? datagram.induction() : datagram.acceptance())]
        },
    ]
}

/// A datagram of a caller, and the packets of the handshake that answer it (draft-sharabayko-srt-01, section 3.2.1).
struct SRTDatagram: Sendable {
    let bytes: [UInt8]

    /// A control packet of type 0.
    var isHandshake: Bool { bytes.count >= 64 && bytes[0] == 0x80 && bytes[1] == 0 }
    /// The first packet of a caller.
    var isInduction: Bool { isHandshake && word(at: 36) == 1 }
    /// The socket of the caller.
    var callerID: [UInt8] { bytes.count >= 44 ? Array(bytes[40..<44]) : [0, 0, 0, 0] }

    /// Version 5, the magic number of SRT, and a cookie.
    func induction() -> [UInt8] { handshake(extensionField: 0x4A17, type: 1) }

    /// - Parameter type: a reason, or 0xFFFFFFFF to accept.
    func conclusion(type: UInt32, extensions: [UInt8] = []) -> [UInt8] {
        handshake(extensionField: extensions.isEmpty ? 0 : 1, type: type) + extensions
    }

    /// SRT_CMD_HSRSP: version 1.5.0, flags, and latencies of 120 ms.
    func acceptance() -> [UInt8] {
        conclusion(type: 0xFFFF_FFFF, extensions: [0, 2, 0, 3, 0, 1, 5, 0, 0, 0, 0, 0xBF, 0, 120, 0, 120])
    }

    private func handshake(extensionField: UInt32, type: UInt32) -> [UInt8] {
        guard isHandshake else { return [] }
        let header: [UInt8] = [0x80, 0] + [UInt8](repeating: 0, count: 10) + callerID
        // The first sequence number, the largest packet and the window are those of the caller.
        let rest = words(type, 4_711, 0xC00C_1E00) + [1, 0, 0, 127] + [UInt8](repeating: 0, count: 12)
        return header + words(5, extensionField) + bytes[24..<36] + rest
    }

    private func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    }

    private func word(at index: Int) -> UInt32 {
        bytes[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Runs a hostile server on a thread of its own.
final class HostileSRTSocket: Sendable {
    let port: Int
    private let socket: UDPSocket
    private let elsewhere: UDPSocket
    private let isStopped = Atomic(false)
    private let received = Atomic(0)

    init(_ server: HostileSRTServer) throws {
        socket = try UDPSocket(at: .loopback(.ipv4, port: 0))
        elsewhere = try UDPSocket(at: .loopback(.ipv4, port: 0))
        // The socket is bound.
        port = Int(socket.localAddress!.port)
        try startDetachedThread(name: "hostile") { [self] in run(server) }
    }

    /// Datagrams so far.
    var receivedCount: Int { received.load(ordering: .relaxed) }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func run(_ server: HostileSRTServer) {
        var datagrams = ReceivedDatagrams()
        while !isStopped.load(ordering: .relaxed) {
            guard socket.waitToReceive(milliseconds: 50), case .bytes = datagrams.receive(from: socket) else {
                continue
            }
            datagrams.forEachDatagram { datagram in
                received.add(1, ordering: .relaxed)
                for answer in server.answer(SRTDatagram(bytes: [UInt8](datagram.bytes))) {
                    _ = answer.bytes.withUnsafeBytes { bytes in
                        answer.comesFromElsewhere
                            ? elsewhere.send(bytes, to: datagram.source) : socket.send(bytes, to: datagram.source)
                    }
                }
            }
        }
    }
}
