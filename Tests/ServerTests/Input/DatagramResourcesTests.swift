import Connecting
import Foundation
import Logging
import Media
import Muxing
import Reactor
import Streams
import TestSupport
import Testing

@testable import Server

/// Transport streams in datagrams, on loopback.
struct DatagramResourcesTests {
    /// A receiver at a free port.
    private final class Receiver {
        let port: UInt16
        let lines = LoggedLines()
        let reception = DatagramReception(label: "udp://@:0", transport: "UDP")
        let interruption = Interruption()
        private let resource: any Resource

        init(_ silence: DatagramResources.Silence = .init()) throws {
            port = try freePort()
            let url = "udp://127.0.0.1:\(port)"
            resource = try DatagramResources(
                DatagramURL(url), noting: reception, silence: silence, interruption: interruption, log: lines.log
            ).open(url, .whole, from: .input)
        }

        func read(_ byteCount: Int, in pieceByteCount: Int = 1_000) throws(ResourceFailure) -> [UInt8] {
            var result: [UInt8] = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 1)
            defer { buffer.deallocate() }
            while result.count < byteCount { result += buffer[..<(try resource.read(into: buffer))] }
            return result
        }
    }

    private static func freePort() throws -> UInt16 {
        let address = try UDPSocket(at: .loopback(.ipv4, port: 0)).localAddress
        return try #require(address).port
    }

    private static func address(of socket: borrowing UDPSocket) throws -> String {
        let address = socket.localAddress
        return try #require(address).description
    }

    private static func send(_ bytes: [UInt8], from socket: borrowing UDPSocket, to port: UInt16) {
        let failure = bytes.withUnsafeBytes { socket.send($0, to: .loopback(.ipv4, port: port)) }
        #expect(failure == nil)
    }

    /// Null packets with these last bytes.
    private static func packets(_ numbers: Range<UInt8>) -> [UInt8] {
        numbers.flatMap { [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 183) + [$0] }
    }

    @Test func datagramsOfAnySizeAreOneStreamOfBytes() throws {
        let receiver = try Receiver()
        let sender = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let bytes = Self.packets(0..<200)
        var rest = bytes[...]
        for count in [1, 0, 188, 1_316, 1_472, 9_000, 20_000] {
            Self.send(Array(rest.prefix(count)), from: sender, to: receiver.port)
            rest = rest.dropFirst(count)
        }
        let sent = bytes.count - rest.count
        #expect(try receiver.read(sent).elementsEqual(bytes[..<sent]))
        let input = receiver.reception.input
        let address = try Self.address(of: sender)
        #expect(input.transport == "UDP" && input.peer == address)
        #expect(input.reception?.tracks.map(\.packetCount) == [Int64(sent / 188)])
    }

    /// Two programs that send to one port destroy each other's stream.
    @Test func otherSendersAreLeftOutAndReportedOnce() throws {
        let receiver = try Receiver(.init(takeoverMilliseconds: 60_000))
        let sender = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let second = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let third = try UDPSocket(at: .loopback(.ipv4, port: 0))
        for number in 0..<20 as Range<UInt8> {
            Self.send(Self.packets(number..<(number + 1)), from: sender, to: receiver.port)
            Self.send(Self.packets(100..<107), from: second, to: receiver.port)
            Self.send(Self.packets(100..<107), from: third, to: receiver.port)
        }
        #expect(try receiver.read(20 * 188, in: 188) == Self.packets(0..<20))
        let names = try [Self.address(of: second), Self.address(of: third)]
        #expect(receiver.reception.input.reception?.leftOut == names.map { "datagrams from \($0)" })
        #expect(receiver.lines.all.count == 2)
        #expect(receiver.lines.text.hasPrefix("warning: datagrams from \(names[0]) are left out"))
    }

    /// A host that sends from every port does not fill the log.
    @Test func aFewOtherSendersAreReported() {
        let reception = DatagramReception(label: "udp://@:0", transport: "UDP")
        let reported = (1...20 as ClosedRange<UInt16>).filter { port in
            reception.leftOut(from: .loopback(.ipv4, port: port))
        }
        #expect(reported == Array(1...8))
        reception.begin()
        #expect(reception.leftOut(from: .loopback(.ipv4, port: 1)))
    }

    @Test func anotherSenderTakesOverFromASilentOne() throws {
        let receiver = try Receiver(.init(takeoverMilliseconds: 0))
        let sender = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let other = try UDPSocket(at: .loopback(.ipv4, port: 0))
        Self.send(Self.packets(0..<1), from: sender, to: receiver.port)
        #expect(try receiver.read(188) == Self.packets(0..<1))
        Self.send(Self.packets(1..<2), from: other, to: receiver.port)
        let failure = #expect(throws: ResourceFailure.self) { try receiver.read(188) }
        let (old, new) = (try Self.address(of: sender), try Self.address(of: other))
        #expect(failure?.reason == "\(new) sends now, and no longer \(old)")
    }

    @Test func silenceAndAnInterruptionEndIt() throws {
        let receiver = try Receiver(.init(endMilliseconds: 0))
        let failure = #expect(throws: ResourceFailure.self) { try receiver.read(1) }
        #expect(failure?.reason == "no datagram has come for 0 s" && failure?.isInterruption == false)
        let other = try Receiver()
        other.interruption.interrupt()
        #expect(#expect(throws: ResourceFailure.self) { try other.read(1) }?.isInterruption == true)
    }

    @Test func aPortThatIsInUseIsReported() throws {
        let receiver = try Receiver()
        let url = "udp://127.0.0.1:\(receiver.port)"
        let resources = try DatagramResources(
            DatagramURL(url), noting: receiver.reception, interruption: Interruption(), log: receiver.lines.log)
        let failure = #expect(throws: ResourceFailure.self) { _ = try resources.open(url, .whole, from: .input) }
        #expect(failure?.reason.contains("Address already in use") == true)
        #expect(throws: ResourceFailure.self) { _ = try resources.open(url, .whole, from: .resource) }
    }

    /// The units of the stream, and how it comes.
    @Test func aPathServesWhatComesInDatagrams() async throws {
        let folder = try TemporaryFolder()
        let command =
            ["ffmpeg", "-nostdin", "-v", "error", "-i", try await Clip.plain.path(), "-c", "copy", "-f", "mpegts"]
            + [folder.file("clip.ts")]
        let outcome = try await Command.run(command)
        try #require(outcome.status == 0, "\(outcome.diagnostics)")
        let bytes = folder.bytes("clip.ts")
        let port = try Self.freePort()
        let stream = Streams.Stream(path: "/cam", epoch: .now())
        let source = makeDatagramSource(
            "udp://127.0.0.1:\(port)", Configuration.Path(), permittedBy: PermittedDestinations(),
            log: LoggedLines().log)
        #expect(source.input == nil)
        try startDetachedThread(name: "source") { try? source.run(into: stream) }
        let sender = try UDPSocket(at: .loopback(.ipv4, port: 0))
        var rest = bytes[...]
        let isAnnounced = await eventually(within: 30) {
            if rest.isEmpty { rest = bytes[...] }
            for _ in 0..<10 {
                Self.send(Array(rest.prefix(1_316)), from: sender, to: port)
                rest = rest.dropFirst(1_316)
            }
            return stream.announcement != nil
        }
        #expect(isAnnounced)
        #expect(stream.announcement?.tracks.map(\.kind) == [.video, .audio])
        #expect(source.input?.transport == "UDP")
        source.stop()
        #expect(await eventually(within: 10) { source.input == nil })
    }
}
