import RTSPServer
import TestSupport
import Testing

/// Streams are taken away while the server runs.
@Suite(.serialized)
struct WithdrawalTests {
    private static let interleaved = "RTP/AVP/TCP;unicast;interleaved=0-1"

    @Test(arguments: ["RTP/AVP/TCP;unicast;interleaved=0-1", "RTP/AVP;unicast;client_port=47110-47111"])
    func whoWatchesAStreamThatIsTakenAwayIsToldAndLetGo(_ transport: String) async throws {
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
            // Not from before: who asks for nothing is closed after a minute, which is soon on a busy machine.
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

    @Test func whoHasOnlySetUpIsLetGoToo() async throws {
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
}
