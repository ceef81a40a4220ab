import Foundation
import Media
import RTP
import RTSP
import Reactor
import TestSupport

@testable import SRTP

/// A client that plays the first frames of a stream and reports what is missing.
struct FaultObserver {
    enum Failure: Error {
        case refused(Int)
        case silence
        case noKey
    }

    private let server: ServerProcess
    private let transport: Fault.Transport
    private let tlsPort: Int
    /// The number of frames, enough for several messages to each client.
    private static let frameCount = 4

    init(_ server: ServerProcess, over transport: Fault.Transport, tlsPort: Int = 0) {
        (self.server, self.transport, self.tlsPort) = (server, transport, tlsPort)
    }

    /// Plays some frames.
    ///
    /// - Throws: If none came or the connection ended.
    func watch() async throws -> Fault.Effect {
        switch transport {
        case .tcp: return try watch(RTSPSocket(port: server.port))
        case .udp: return try await watchDatagrams(RTSPSocket(port: server.port), at: server.url(), "RTP/AVP")
        case .srtp:
            let socket = RTSPSocket(over: try TLSStream(over: LoopbackSocket(port: tlsPort)))
            return try await watchDatagrams(socket, at: "rtsps://127.0.0.1:\(tlsPort)/cam", "RTP/SAVP")
        }
    }

    private func watch(_ socket: RTSPSocket) throws -> Fault.Effect {
        let (session, answer) = try socket.play(server.url(), tracks: 1)
        guard answer.status == 200 else { throw Failure.refused(answer.status) }
        var frames = ReceivedFrames()
        while frames.count < Self.frameCount {
            guard let frame = socket.frame(within: 3) else { throw Failure.silence }
            if frame.channel == 0 { frames.take(frame.bytes.rawSpan) }
        }
        guard try socket.request("TEARDOWN", server.url(), ["Session": session]).status == 200 else { return .end }
        return frames.effect
    }

    private func watchDatagrams(
        _ socket: RTSPSocket, at url: String, _ profile: String
    ) async throws -> Fault.Effect {
        let ports = try Reactor.RTPSocketPair.bind(evenIn: 51_000...58_000)
        let setup = try socket.setUp(url, tracks: 1) { _ in
            "\(profile);unicast;client_port=\(ports.port)-\(ports.port + 1)"
        }
        let decryption = profile == "RTP/SAVP" ? try PacketDecryption(describedBy: setup.description) : nil
        guard let port = setup.answers.first.flatMap(serverPort) else {
            throw Failure.refused(setup.answers.first?.status ?? 0)
        }
        // Like a player, sends a datagram first, by which the server latches the address.
        _ = [0x80, 0, 0, 0].withUnsafeBytes { ports.rtp.send($0, to: .loopback(.ipv4, port: port)) }
        let status = try socket.request("PLAY", setup.base, setup.session).status
        guard status == 200 else { throw Failure.refused(status) }
        var frames = ReceivedFrames(decryption)
        var datagrams = ReceivedDatagrams()
        let isServed = await eventually(within: 3) {
            while case .bytes = datagrams.receive(from: ports.rtp) {
                datagrams.forEachDatagram { frames.take(RawSpan(_unsafeBytes: $0.bytes)) }
            }
            return frames.count >= Self.frameCount
        }
        guard isServed else { throw Failure.silence }
        guard try socket.request("TEARDOWN", setup.base, setup.session).status == 200 else { return .end }
        return frames.effect
    }

    private func serverPort(in answer: RTSPSocket.Response) -> UInt16? {
        let parts = (answer.header("Transport") ?? "").split(separator: ";")
        let ports = parts.first { $0.hasPrefix("server_port=") }?.dropFirst("server_port=".count)
        return ports?.split(separator: "-").first.flatMap { UInt16($0) }
    }

    /// The received part of the first track.
    private struct ReceivedFrames {
        private(set) var count = 0
        private(set) var effect = Fault.Effect.none
        private var expected: SequenceNumber?
        /// `nil` if the packets are not encrypted.
        private let decryption: PacketDecryption?

        init(_ decryption: PacketDecryption? = nil) {
            self.decryption = decryption
        }

        mutating func take(_ packet: RawSpan) {
            guard let (header, _) = Header.parse(packet) else { return effect = .loss }
            if let decryption, !decryption.opens(packet, header) { return effect = .end }
            let number = header.sequenceNumber
            if let expected, expected != number { effect = .loss }
            expected = number.advanced(by: 1)
            if header.isMarked { count += 1 }
        }
    }
}

/// Decrypts the packets of one track (RFC 3711, section 3.3). Confined to one thread.
private final class PacketDecryption {
    private let cipher: Cipher
    /// The index of the last packet: its sequence number extended by the rollover counter.
    private var last: (number: UInt16, rollovers: UInt64)?

    /// - Throws: If the description contains no key for the first track.
    init(describedBy description: String) throws {
        guard let match = description.firstMatch(of: /a=key-mgmt:mikey (\S+)/),
            let message = Data(base64Encoded: String(match.1))
        else { throw FaultObserver.Failure.noKey }
        let key = try MIKEYMessage(parsing: Array(message)).masterKey()
        // A key identifier makes packets longer.
        guard key.identifier.isEmpty else { throw FaultObserver.Failure.noKey }
        cipher = try Cipher(SessionKeys(of: key, for: .rtp), key.suite, .opens)
    }

    /// Whether the packet is authentic.
    func opens(_ packet: RawSpan, _ header: Header) -> Bool {
        let number = header.sequenceNumber.rawValue
        var rollovers = last?.rollovers ?? 0
        if let last, last.number > 0xC000, number < 0x4000 { rollovers += 1 }
        last = (number, rollovers)
        var rollover = UInt32(truncatingIfNeeded: rollovers).bigEndian
        return packet.withUnsafeBytes { bytes in
            // The server's packets have no contributing sources, and no extension by default.
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
