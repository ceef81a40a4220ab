import Media
import RTP
import Reactor
import TestSupport

/// A client that watches the first pictures of a stream, and tells what is missing.
struct FaultWitness {
    enum Failure: Error {
        case refused(Int)
        case silence
    }

    private let server: ServerProcess
    private let transport: Fault.Transport
    /// Enough for several messages to each client.
    private static let pictureCount = 4

    init(_ server: ServerProcess, over transport: Fault.Transport) {
        (self.server, self.transport) = (server, transport)
    }

    /// Watches until it has seen some pictures.
    ///
    /// - Throws: where there were none, or its connection ended.
    func watch() async throws -> Fault.Harm {
        let socket = try RTSPSocket(port: server.port)
        switch transport {
        case .tcp: return try watch(socket)
        case .udp: return try await watchDatagrams(socket)
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

    private func watchDatagrams(_ socket: RTSPSocket) async throws -> Fault.Harm {
        let ports = try PortPair.bind(evenIn: 51_000...58_000)
        let setup = try socket.setUp(server.url(), tracks: 1) { _ in
            "RTP/AVP;unicast;client_port=\(ports.port)-\(ports.port + 1)"
        }
        guard let port = setup.answers.first.flatMap(serverPort) else {
            throw Failure.refused(setup.answers.first?.status ?? 0)
        }
        // As players do: it opens the way, and the server hears it.
        _ = [0x80, 0, 0, 0].withUnsafeBytes { ports.rtp.send($0, to: .loopback(.ipv4, port: port)) }
        let status = try socket.request("PLAY", setup.base, setup.session).status
        guard status == 200 else { throw Failure.refused(status) }
        var pictures = Pictures()
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

        mutating func take(_ packet: RawSpan) {
            guard let (header, _) = Header.parse(packet) else { return harm = .loss }
            let number = header.sequenceNumber
            if let expected, expected != number { harm = .loss }
            expected = number.advanced(by: 1)
            if header.isMarked { count += 1 }
        }
    }
}
