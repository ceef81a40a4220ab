import Dispatch
import RTSP
import Streams
import Synchronization
import TestSupport
import Testing

@testable import RTSPServer

/// Withdrawing streams while the server runs.
@Suite(.serialized)
struct WithdrawalTests {
    private static let interleaved = "RTP/AVP/TCP;unicast;interleaved=0-1"

    @Test(arguments: ["RTP/AVP/TCP;unicast;interleaved=0-1", "RTP/AVP;unicast;client_port=47110-47111"])
    func theViewersOfAWithdrawnStreamGetAByeAndAreDisconnected(_ transport: String) async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: client, transport)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            broadcast.directory.remove("/cam")
            await broadcast.server.withdraw(broadcast.stream)
            var last: RTSPSocket.Frame?
            while let frame = client.frame(within: 5) { last = frame }
            #expect(client.isClosed)
            // A receiver report without blocks, a description, BYE (RFC 3550, section 6.6).
            if transport == Self.interleaved { #expect(last?.controlTypes == [201, 202, 203]) }
            // A new connection, because one without requests is closed after a minute, which is soon on a busy host.
            let other = try RTSPSocket(port: broadcast.port)
            #expect(try other.request("DESCRIBE", broadcast.url).status == 404)
        }
    }

    @Test(arguments: ["RTP/AVP/TCP;unicast;interleaved=0-1", "RTP/AVP;unicast;client_port=47112-47113"])
    func theViewersOfAStreamThatHasEndedAreDisconnectedAndNewOnesAreAnswered404(_ transport: String) async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: client, transport)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            broadcast.stream.end()
            await broadcast.server.end(broadcast.stream)
            var last: RTSPSocket.Frame?
            while let frame = client.frame(within: 5) { last = frame }
            #expect(client.isClosed)
            if transport == Self.interleaved { #expect(last?.controlTypes == [201, 202, 203]) }
            for method in ["DESCRIBE", "SETUP"] {
                let other = try RTSPSocket(port: broadcast.port)
                let answer = try other.request(
                    method, method == "SETUP" ? "\(broadcast.url)/track1" : broadcast.url,
                    method == "SETUP" ? ["Transport": transport] : [:])
                #expect(answer.status == 404)
                #expect(answer.head.contains("/cam has ended"), "\(answer.head)")
            }
        }
    }

    @Test func aStreamThatIsAnnouncedAgainAfterItsEndKeepsItsViewers() async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: client, Self.interleaved)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            broadcast.stream.end()
            broadcast.stream.announce([Broadcast.video])
            await broadcast.server.end(broadcast.stream)
            #expect(try client.request("GET_PARAMETER", broadcast.url, session).status == 200)
        }
    }

    @Test func sessionsThatDoNotPlayYetEndToo() async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            let client = try RTSPSocket(port: broadcast.port)
            _ = try broadcast.setUp(on: client, Self.interleaved)
            broadcast.directory.remove("/cam")
            await broadcast.server.withdraw(broadcast.stream)
            #expect(client.frame(within: 5) == nil)
            #expect(client.isClosed)
        }
    }

    @Test func theGroupsOfAStreamEndAndItsOtherViewersStay() async throws {
        let group = MulticastOptions(group: "239.9.9.8", port: 45_100, interface: "127.0.0.1")
        try await Broadcast.run(multicast: group, { $0.loopCount = 2 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let members = try (0..<2).map { _ in try RTSPSocket(port: broadcast.port) }
            for member in members {
                let (session, _) = try broadcast.setUp(on: member, "RTP/AVP;multicast")
                #expect(try member.request("PLAY", broadcast.url, session).status == 200)
            }
            let viewer = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: viewer, Self.interleaved)
            #expect(try viewer.request("PLAY", broadcast.url, session).status == 200)

            broadcast.directory.insert(broadcast.stream, options: PathOptions(title: "camera"))
            await broadcast.server.withdrawGroups(of: broadcast.stream)
            for member in members {
                while member.frame(within: 5) != nil {}
                #expect(member.isClosed)
            }
            #expect(try viewer.request("GET_PARAMETER", broadcast.url, session).status == 200)
            let late = try RTSPSocket(port: broadcast.port)
            #expect(try broadcast.setUp(on: late, "RTP/AVP;multicast").answer.status == 461)
        }
    }

    @Test func aLateWithdrawalDoesNotAffectTheGroupsOfANewStream() async throws {
        let group = MulticastOptions(group: "239.9.9.7", port: 45_200, interface: "127.0.0.1")
        try await Broadcast.run(multicast: group) { broadcast in
            let next = Streams.Stream(path: "/cam", epoch: .now())
            var options = PathOptions(title: "camera")
            options.multicast = group
            broadcast.directory.insert(next, options: options)
            next.announce([Broadcast.video])
            broadcast.publish(idr: true, into: next)
            let member = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: member, "RTP/AVP;multicast")
            #expect(try member.request("PLAY", broadcast.url, session).status == 200)

            await broadcast.server.withdraw(broadcast.stream)
            let before = await broadcast.packetCount()
            let isServing = await eventually(within: 20) {
                broadcast.publish(idr: true, into: next)
                return await broadcast.packetCount() > before
            }
            #expect(isServing)
            #expect(try member.request("GET_PARAMETER", broadcast.url, session).status == 200)
        }
    }

    @Test func aMulticastSetUpThatIsRefusedMeanwhileLeavesNoMember() async throws {
        let group = MulticastOptions(group: "239.9.9.6", port: 45_300, interface: "127.0.0.1")
        try await Broadcast.run(multicast: group, { $0.loopCount = 2 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let (groupLoop, other) = (broadcast.server.loops[0], broadcast.server.loops[1])
            // The first connection is on the group's loop, the second on the other loop.
            let clients = try (0..<2).map { _ in try RTSPSocket(port: broadcast.port) }
            for client in clients { #expect(try client.request("OPTIONS", broadcast.url).status == 200) }
            #expect(broadcast.server.connectionCounts == [1, 1])

            let blocker = LoopBlocker()
            let blocking = Task { await groupLoop.with(RTSPService.self) { _ in blocker.block() } }
            #expect(await eventually(within: 20) { blocker.hasBegun.load(ordering: .acquiring) })
            let client = clients[1]
            client.send(client.text(of: "SETUP", "\(broadcast.url)/track1", ["Transport": "RTP/AVP;multicast"]))
            #expect(
                await eventually(within: 20) { await other.with(RTSPService.self) { $0.control.awaitsAnswers } == true }
            )
            let denied = try #require(AddressBlock("127.0.0.0/8"))
            broadcast.server.admit(
                by: AccessPolicy(
                    realm: "Apus", users: [], addresses: AddressRules(denied: [denied]), hashes: { nil },
                    random: { 0 }))
            await other.with(RTSPService.self) { $0.control.reviewSessions() }
            #expect(client.response(within: 20)?.status == 403)
            blocker.end.signal()
            await blocking.value
            // The group's loop has answered before it gets here, and the other loop has received the answer before it gets here.
            await groupLoop.turned()
            await other.turned()
            let key = GroupKey(stream: broadcast.stream, encapsulation: .tracks)
            let isLeft = await eventually(within: 20) {
                let isClosed = await groupLoop.with(RTSPService.self) { $0.home?.hasGroup(key) } == false
                let isEmpty = await other.with(RTSPService.self) { $0.control.sessionCount } == 0
                return isClosed && isEmpty
            }
            #expect(isLeft)
        }
    }
}

/// Blocks a loop's thread.
private final class LoopBlocker: Sendable {
    let hasBegun = Atomic(false)
    let end = DispatchSemaphore(value: 0)

    /// Blocks the calling thread until `end`.
    func block() {
        hasBegun.store(true, ordering: .releasing)
        end.wait()
    }
}
