import Delivery
import Foundation
import Media
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

@testable import RTSPServer

/// Another protocol on the event loop of the RTSP server.
@Suite(.serialized)
struct SecondServiceTests {
    /// Answers each datagram with its bytes.
    private final class Echo: LoopService {
        private let socket: UDPSocket
        private var datagrams = ReceivedDatagrams()

        init(_ place: LoopPlace, port: Port) {
            // A closure that makes a service and throws crashes the compiler (Swift 6.3.1).
            do throws(SystemError) {
                socket = try UDPSocket(at: .loopback(.ipv4, port: 0))
                try place.watch(socket.fd, .read, as: place.nextToken())
            } catch {
                preconditionFailure("loopback has free ports: \(error)")
            }
            port.number.store(Int(socket.localAddress?.port ?? 0), ordering: .releasing)
        }

        func socketIsReady(_ event: Event, at now: MonotonicTime) {
            _ = datagrams.receive(from: socket)
            datagrams.forEachDatagram { _ = socket.send($0.bytes, to: $0.source) }
        }
    }

    private final class Port: Sendable {
        let number = Atomic(0)
    }

    @Test func aFloodOfAnotherServiceCostsViewersNoFrame() async throws {
        let port = Port()
        try await Broadcast.run(services: [{ Echo($0, port: port) }]) {
            broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let viewer = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: viewer, "RTP/AVP/TCP;unicast;interleaved=0-1")
            #expect(try viewer.request("PLAY", broadcast.url, session).status == 200)
            while viewer.frame(within: 0.1) != nil {}

            let flood = Flood(to: UInt16(port.number.load(ordering: .acquiring)))
            defer { flood.end() }
            #expect(await eventually(within: 20) { flood.answerCount > 1_000 })
            try broadcast.publishFrames(60, seenBy: viewer)
            let viewers = await broadcast.server.viewers(at: .now())
            #expect(viewers.map(\.backlog.droppedUnits) == [0])
            #expect(flood.answerCount > 2_000)
        }
    }

    /// A unit that is published while a turn handles input leaves before the turn's answers.
    @Test func aUnitPublishedOnALoopIsSentInTheSameTurn() async throws {
        let publisher = Publisher.State()
        try await Broadcast.run(services: [{ Publisher($0, publisher) }]) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let viewer = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: viewer, "RTP/AVP/TCP;unicast;interleaved=0-1")
            #expect(try viewer.request("PLAY", broadcast.url, session).status == 200)
            while viewer.frame(within: 0.1) != nil {}

            publisher.publish.withLock { $0 = { broadcast.publish(idr: true) } }
            await broadcast.server.turned()
            #expect(await eventually(within: 20) { publisher.packetsInTurn.load(ordering: .acquiring) >= 0 })
            #expect(publisher.packetsInTurn.load(ordering: .acquiring) == 1)
        }
    }

    /// Publishes once on request, and notes how many packets have been sent when the same turn comes to its answers.
    private final class Publisher: LoopService {
        final class State: Sendable {
            let publish = Mutex<(@Sendable () -> Void)?>(nil)
            let packetsInTurn = Atomic(-1)
        }

        private let place: LoopPlace
        private let state: State
        private var before: UInt64?

        init(_ place: LoopPlace, _ state: State) {
            self.place = place
            self.state = state
        }

        func socketIsReady(_ event: Event, at now: MonotonicTime) {}

        func receiveInput(until end: MonotonicTime, at now: MonotonicTime) {
            guard let publish = state.publish.withLock({ $0.take() }) else { return }
            before = place.delivery.statistics.packets
            publish()
        }

        func answer(at now: MonotonicTime) -> MonotonicTime {
            if let before {
                state.packetsInTurn.store(Int(place.delivery.statistics.packets - before), ordering: .releasing)
            }
            before = nil
            return .distantFuture
        }
    }
}

/// Sends datagrams as fast as it can, and counts the answers.
private final class Flood: Sendable {
    private let isOver = Atomic(false)
    private let answers = Atomic(0)

    var answerCount: Int { answers.load(ordering: .acquiring) }

    init(to port: UInt16) {
        Thread.detachNewThread { [self] in
            guard let socket = try? UDPSocket(at: .loopback(.ipv4, port: 0)) else { return }
            var datagrams = ReceivedDatagrams()
            let bytes = [UInt8](repeating: 7, count: 200)
            while !isOver.load(ordering: .relaxed) {
                bytes.withUnsafeBytes { _ = socket.send($0, to: .loopback(.ipv4, port: port)) }
                if case .bytes(let count) = datagrams.receive(from: socket) {
                    answers.add(count, ordering: .relaxed)
                }
            }
        }
    }

    func end() { isOver.store(true, ordering: .relaxed) }
}
