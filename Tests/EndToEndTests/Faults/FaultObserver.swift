import Foundation
import Media
import RTP
import RTSP
import Reactor
import TestSupport

@testable import SRTP

/// A client that watches the first pictures of a stream, and tells what is missing.
struct FaultWitness {
    enum Failure: Error {
        case refused(Int)
        case silence
        case noKey
    }

    private let server: ServerProcess
    private let transport: Fault.Transport
    private let tlsPort: Int
    /// Enough for several messages to each client.
    private static let pictureCount = 4

    init(_ server: ServerProcess, over transport: Fault.Transport, tlsPort: Int = 0) {
        (self.server, self.transport, self.tlsPort) = (server, transport, tlsPort)
    }

    /// Watches until it has seen some pictures.
    ///
    /// - Throws: where there were none, or its connection ended.
    func watch() async throws -> Fault.Harm {
        switch transport {
        case .tcp: return try watch(RTSPSocket(port: server.port))
        case .udp: return try await watchDatagrams(RTSPSocket(port: server.port), at: server.url(), "RTP/AVP")
        case .srtp:
            let socket = RTSPSocket(over: try TLSStream(over: LoopbackSocket(port: tlsPort)))
            return try await watchDatagrams(socket, at: "rtsps://127.0.0.1:\(tlsPort)/cam", "RTP/SAVP")
        }
    }

    private func watch(_ socket: RTSPSocket) throws -> Fault.Harm {
        let (session, answer) = try socket.play(server.url(), tracks: 1)
        guard answer.status == 200 else { throw Failure.refused(answer.status) }
        var pictures = Pictures()
        while pictures.count < Self.pictureCount {
            guard let frame = socket.frame(within: 3) else { throw Failure.silence }
            if frame.channel == 0 { pictures.take(frame.bytes.rawSpan) }
        }
        guard try socket.request("TEARDOWN", server.url(), ["Session": session]).status == 200 else { return .end }
        return pictures.harm
    }

    private func watchDatagrams(
        _ socket: RTSPSocket, at url: String, _ profile: String
    ) async throws -> Fault.Harm {
        let ports = try Reactor.RTPSocketPair.bind(evenIn: 51_000...58_000)
        let setup = try socket.setUp(url, tracks: 1) { _ in
            "\(profile);unicast;client_port=\(ports.port)-\(ports.port + 1)"
        }
        let opening = profile == "RTP/SAVP" ? try PacketOpening(describedBy: setup.description) : nil
        guard let port = setup.answers.first.flatMap(serverPort) else {
            throw Failure.refused(setup.answers.first?.status ?? 0)
        }
        // As players do: it opens the way, and the server hears it.
        _ = [0x80, 0, 0, 0].withUnsafeBytes { ports.rtp.send($0, to: .loopback(.ipv4, port: port)) }
        let status = try socket.request("PLAY", setup.base, setup.session).status
        guard status == 200 else { throw Failure.refused(status) }
        var pictures = Pictures(opening)
        var datagrams = ReceivedDatagrams()
        let isServed = await eventually(within: 3) {
            while case .bytes = datagrams.receive(from: ports.rtp) {
                datagrams.forEachDatagram { pictures.take(RawSpan(_unsafeBytes: $0.bytes)) }
            }
            return pictures.count >= Self.pictureCount
        }
        guard isServed else { throw Failure.silence }
        guard try socket.request("TEARDOWN", setup.base, setup.session).status == 200 else { return .end }
        return pictures.harm
    }

    private func serverPort(in answer: RTSPSocket.Response) -> UInt16? {
        let parts = (answer.header("Transport") ?? "").split(separator: ";")
        let ports = parts.first { $0.hasPrefix("server_port=") }?.dropFirst("server_port=".count)
        return ports?.split(separator: "-").first.flatMap { UInt16($0) }
    }

    /// What has come of the first track.
    private struct Pictures {
        private(set) var count = 0
        private(set) var harm = Fault.Harm.none
        private var expected: SequenceNumber?
        /// `nil` if packets come as they are.
        private let opening: PacketOpening?

        init(_ opening: PacketOpening? = nil) {
            self.opening = opening
        }

        mutating func take(_ packet: RawSpan) {
            guard let (header, _) = Header.parse(packet) else { return harm = .loss }
            if let opening, !opening.opens(packet, header) { return harm = .end }
            let number = header.sequenceNumber
            if let expected, expected != number { harm = .loss }
            expected = number.advanced(by: 1)
            if header.isMarked { count += 1 }
        }
    }
}

/// Decrypts the packets of one track (RFC 3711, section 3.3). Its thread only.
private final class PacketOpening {
    private let cipher: Cipher
    /// The number of the last packet since the source began, by its low 16 bits and how often those began anew.
    private var last: (number: UInt16, rollovers: UInt64)?

    /// - Throws: if the description of the stream tells no key of its first track.
    init(describedBy description: String) throws {
        guard let match = description.firstMatch(of: /a=key-mgmt:mikey (\S+)/),
            let message = Data(base64Encoded: String(match.1))
        else { throw FaultWitness.Failure.noKey }
        let key = try MIKEYMessage(parsing: Array(message)).masterKey()
        // With a name of the key, packets are longer.
        guard key.identifier.isEmpty else { throw FaultWitness.Failure.noKey }
        cipher = try Cipher(SessionKeys(of: key, for: .packets), key.suite, .opens)
    }

    /// Whether the packet is what the server has sealed.
    func opens(_ packet: RawSpan, _ header: Header) -> Bool {
        let number = header.sequenceNumber.rawValue
        var rollovers = last?.rollovers ?? 0
        if let last, last.number > 0xC000, number < 0x4000 { rollovers += 1 }
        last = (number, rollovers)
        var rollover = UInt32(truncatingIfNeeded: rollovers).bigEndian
        return packet.withUnsafeBytes { bytes in
            // The server's own packets have no contributing sources, and no extension unless it is switched on.
            let (start, end) = (12, bytes.count - cipher.suite.tagByteCount)
            guard end > start else { return false }
            var plain = [UInt8](repeating: 0, count: end - start)
            return withUnsafeBytes(of: &rollover) { trailer in
                plain.withUnsafeMutableBytes { plain in
                    cipher.open(
                        UnsafeRawBufferPointer(rebasing: bytes[start..<end]),
                        tag: UnsafeRawBufferPointer(rebasing: bytes[end...]), index: rollovers << 16 | UInt64(number),
                        ssrc: header.ssrc.rawValue, header: UnsafeRawBufferPointer(rebasing: bytes[..<start]),
                        trailer: trailer, to: plain.baseAddress!)
                }
            }
        }
    }
}
