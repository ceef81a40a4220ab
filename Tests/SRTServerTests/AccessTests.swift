import Delivery
import Media
import RTSP
import Reactor
import SRT
import Streams
import TestSupport
import Testing

@testable import SRTServer

/// Who may do what, and what a rejected caller is told.
@Suite(.serialized)
struct AccessTests {
    @Test(arguments: [
        ("nowhere", SRTRejection.notFound), ("", .notFound), ("#!::r=nowhere,m=publish", .notFound),
        ("#!::r=cam,m=publish", .forbidden), ("#!::r=cam,m=bidirectional", .unsupportedMode),
        ("#!::r=cam,m=steal", .unsupportedMode), ("#!::r", .badRequest), ("#!::r=cam,t=file", .unsupportedMedia),
        ("publish:cam", .forbidden),
    ])
    func rejectedCallersAreToldTheReason(streamID: String, rejection: SRTRejection) async throws {
        try await SRTBroadcast.run { broadcast in
            #expect(await broadcast.viewer(streamID).ends() == .rejected(rejection))
            #expect(broadcast.lines.text.contains("caller rejected"))
        }
    }

    @Test func theNearestPathIsSuggested() async throws {
        try await SRTBroadcast.run { broadcast in
            #expect(await broadcast.viewer("camm").ends() == .rejected(.notFound))
            #expect(broadcast.lines.text.contains("did you mean /cam?"))
        }
    }

    @Test(arguments: [
        ("cam", SRTRejection.unauthorized), ("read:cam:eve:pear", .unauthorized), ("read:cam:bob:pear", .unauthorized),
        ("publish:live:eve:apple", .unauthorized), ("#!::r=live,m=publish,u=ann,s=sesam", .unauthorized),
    ])
    func usersNeedTheirPasswordAndTheRight(streamID: String, rejection: SRTRejection) async throws {
        try await SRTBroadcast.run(access: .users()) { broadcast in
            #expect(await broadcast.viewer(streamID).ends() == .rejected(rejection))
            broadcast.cam.announce([.video])
            broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
            let viewer = broadcast.viewer("%23!::r=cam,u=eve,s=apple")
            #expect(await viewer.connects())
            #expect(await eventually(within: 20) { await broadcast.server.viewers(at: .now()).first?.user == "eve" })
            let publisher = broadcast.publisher("publish:live:ann:sesame")
            #expect(await eventually(within: 20) { broadcast.live.publisher?.user == "ann" })
            #expect(publisher.end == nil)
        }
    }

    @Test func wrongPasswordsLockOut() async throws {
        try await SRTBroadcast.run(access: .users(guessCount: 3)) { broadcast in
            for number in 1...2 {
                #expect(await broadcast.viewer("read:cam:eve:\(number)").ends() == .rejected(.unauthorized))
            }
            #expect(await broadcast.viewer("read:cam:eve:3").ends() == .rejected(.locked))
            #expect(await broadcast.viewer("read:cam:eve:apple").ends() == .rejected(.locked))
        }
    }

    @Test func aWrongPassphraseIsRejectedAndLocksOut() async throws {
        try await SRTBroadcast.run(access: .users(guessCount: 2), connection: .secret()) { broadcast in
            let id = "read:cam:eve:apple"
            #expect(await broadcast.viewer(id, .secret("another secret")).ends() == .rejected(.wrongPassphrase))
            #expect(await eventually(within: 20) { broadcast.lines.text.contains("wrong passphrase") })
            #expect(await broadcast.viewer(id).ends() == .rejected(.unexpectedEncryption))
            #expect(await eventually(within: 20) { broadcast.lines.text.contains("locked out") })
            #expect(await broadcast.viewer(id, .secret()).ends() == .rejected(.locked))
        }
    }

    @Test func aPassphraseForAPathWithoutOneIsRejected() async throws {
        try await SRTBroadcast.run { broadcast in
            #expect(await broadcast.viewer("cam", .secret()).ends() == .rejected(.unexpectedEncryption))
            #expect(await eventually(within: 20) { broadcast.services.counts == TestServices.Counts() })
        }
    }

    @Test(arguments: [
        (ServerOptions.PassphraseDemand.strictEncryption, "tls.encryption is strict"),
        (.requirePassphrase, "srt.requirePassphrase is true"),
    ])
    func pathsWithoutPassphraseMayBeRefused(demand: ServerOptions.PassphraseDemand, reason: String) async throws {
        try await SRTBroadcast.run({ $0.passphraseDemand = demand }) { broadcast in
            #expect(await broadcast.viewer().ends() == .rejected(.forbidden))
            #expect(await broadcast.publisher().ends() == .rejected(.forbidden))
            #expect(await broadcast.publisher("publish:new/yard").ends() == .rejected(.forbidden))
            #expect(broadcast.lines.text.contains("the path has no srt.passphrase, and \(reason)"))
            #expect(broadcast.services.created.isEmpty)
        }
    }

    @Test func anotherPublisherIsRejectedWithTheReason() async throws {
        try await SRTBroadcast.run(override: .never) { broadcast in
            let first = broadcast.publisher()
            #expect(await eventually(within: 20) { broadcast.live.publisher != nil })
            #expect(await broadcast.publisher().ends() == .rejected(.conflict))
            #expect(first.end == nil)
            #expect(broadcast.lines.text.contains("published by 127.0.0.1"))
        }
    }

    @Test func viewersHaveALimit() async throws {
        try await SRTBroadcast.run({ $0.maximumViewers = 2 }) { broadcast in
            broadcast.cam.announce([.video])
            broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
            let viewers = [broadcast.viewer(), broadcast.viewer()]
            for viewer in viewers { #expect(await viewer.connects()) }
            #expect(await broadcast.viewer().ends() == .rejected(.overload))
            viewers[0].call.close()
            #expect(await eventually(within: 20) { await broadcast.server.viewerCounts() == ["/cam": 1] })
            #expect(await broadcast.viewer().connects())
        }
    }

    @Test func connectionsHaveTheLimitOfAllProtocols() async throws {
        try await SRTBroadcast.run { broadcast in
            broadcast.services.limit(connections: 0)
            #expect(await broadcast.viewer().ends() == .rejected(.overload))
        }
    }

    @Test func whatIsNoLongerPermittedEnds() async throws {
        try await SRTBroadcast.run(access: .users()) { broadcast in
            broadcast.cam.announce([.video])
            broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
            let viewer = broadcast.viewer("read:cam:eve:apple")
            #expect(await eventually(within: 20) { await broadcast.server.viewerCounts() == ["/cam": 1] })
            await broadcast.server.review()
            #expect(await broadcast.server.viewerCounts() == ["/cam": 1])
            broadcast.services.set(
                AccessPolicy(
                    realm: "Apus", users: [.init(name: "ann", secret: .password("sesame"), rights: [:])],
                    hashes: { .mixing }, random: { 1 }))
            await broadcast.server.review()
            #expect(await viewer.ends() == .disconnected)
        }
    }

    @Test func anExternalServiceDecidesAfterTheHandshake() async throws {
        try await SRTBroadcast.run(access: .users(asksExternally: true)) { broadcast in
            broadcast.cam.announce([.video])
            broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
            let viewer = broadcast.viewer("read:cam:carl:secret")
            #expect(await eventually(within: 20) { await broadcast.server.viewers(at: .now()).first?.user == "carl" })
            #expect(viewer.end == nil)
            broadcast.services.decide(.refused)
            #expect(await broadcast.viewer("read:cam:carl:wrong").ends() == .disconnected)
            #expect(broadcast.lines.text.contains("refused by access.httpCallback"))
        }
    }

    @Test func publishersCreatePaths() async throws {
        try await SRTBroadcast.run { broadcast in
            let publisher = broadcast.publisher("publish:new/yard")
            #expect(await eventually(within: 20) { broadcast.services.created == ["/new/yard"] })
            #expect(
                await eventually(within: 20) {
                    broadcast.services.path(at: "/new/yard")?.publishing?.publisher != nil
                })
            #expect(publisher.end == nil)
            #expect(await broadcast.publisher("publish:new/full").ends() == .disconnected)
            #expect(broadcast.lines.text.contains("there are too many paths"))
        }
    }

    /// libsrt would connect callers, and not tell the thread of them.
    @Test func callersAreConnectedOnlyOnceTheThreadRuns() async throws {
        let (log, services) = (LoggedLines().log, TestServices(nil))
        services.offer(OfferedPath(stream: .withVideo()))
        let (loop, calling) = (try SRTLoop(logger: log), try SRTLoop(logger: log))
        var options = ServerOptions()
        options.port = 0
        let server = try Server(options: options, on: loop)
        server.start(with: services)
        try calling.start()
        defer { calling.stop() }
        func call(within milliseconds: Int) throws -> TestCall {
            let address = try #require(SocketAddress("127.0.0.1", port: server.port))
            var target = SRTCallTarget(address: address, streamID: "source")
            target.connectMilliseconds = milliseconds
            let sink = Streams.Stream(path: "/sink", epoch: .now())
            return TestCall(sink) { [target] in
                calling.receive(from: target, into: StreamInput(into: sink, trust: .arrival), events: $0)
            }
        }
        #expect(try await call(within: 200).ends() == .rejected(.timeout))
        try loop.start()
        #expect(try await call(within: 20_000).connects())
        loop.stop()
    }

    @Test func aServerThatIsNotThereDoesNotAnswer() async throws {
        try await SRTBroadcast.run { broadcast in
            var target = broadcast.target("cam")
            // Nothing answers at the port of discard.
            target.address.port = 9
            target.connectMilliseconds = 300
            let sink = Streams.Stream(path: "/sink", epoch: .now())
            let call = TestCall(sink) {
                broadcast.loop.receive(from: target, into: StreamInput(into: sink, trust: .arrival), events: $0)
            }
            #expect(await call.ends() == .rejected(.timeout))
        }
    }
}
