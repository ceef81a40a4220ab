import Media
import Testing

@testable import RTMP

@Suite struct ServerSessionTests {
    @Test func ffmpegPublishes() {
        var server = ServerUnderTest()
        server.connect(["app": .string("live"), "tcUrl": .string("rtmp://host/live"), "type": .string("nonprivate")])
        // Sent without waiting for answers.
        server.send(ControlMessage.setChunkSize(byteCount: 4096).message)
        server.writer.chunkByteCount = 4096
        server.send(CommandMessage("releaseStream", transaction: 2, .string("cam?user=u")))
        server.send(CommandMessage("FCPublish", transaction: 3, .string("cam?user=u")))
        server.send(CommandMessage("createStream", transaction: 4))
        #expect(server.decisions.count == 1)
        #expect(server.session.isWaiting)
        server.decide { $0.acceptConnection() }
        #expect(server.results == [1, 2, 3, 4])
        server.send(CommandMessage("publish", transaction: 5, .string("cam?user=u"), .string("live")), streamID: 1)
        let address = StreamAddress(ConnectParameters(["app": .string("live")]), streamName: "cam?user=u")
        #expect(server.decisions.last == .publish(address))
        server.send(Message(.video, streamID: 1, payload: [0x17]))
        server.decide { $0.acceptPublishing() }
        #expect(server.statuses.map(\.code) == [.publishStart])
        #expect(server.media == [Message(.video, streamID: 1, payload: [0x17])])
        server.send(CommandMessage("FCUnpublish", transaction: 6, .string("cam")))
        server.send(CommandMessage("deleteStream", transaction: 7, .number(1)))
        #expect(server.stops == 1)
        // Another stream on the same connection.
        server.send(CommandMessage("createStream", transaction: 8))
        server.send(CommandMessage("publish", transaction: 9, .string("two")), streamID: 2)
        server.decide { $0.acceptPublishing() }
        server.send(Message(.audio, streamID: 2, payload: [1]))
        #expect(server.media.count == 2)
        #expect(server.closed == nil)
    }

    @Test func gstreamerPublishesWithoutTransactions() {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.decide { $0.acceptConnection() }
        server.send(CommandMessage("releaseStream", transaction: 0, .string("cam")))
        server.send(CommandMessage("FCPublish", transaction: 0, .string("cam")))
        server.send(CommandMessage("createStream", transaction: 2))
        server.send(CommandMessage("publish", transaction: 0, .string("cam"), .string("live")), streamID: 1)
        server.decide { $0.acceptPublishing() }
        server.send(ControlMessage.setChunkSize(byteCount: 128).message)
        server.send(CommandMessage("somethingElse", transaction: 0))
        server.send(CommandMessage("deleteStream", transaction: 0, .string("cam")))
        #expect(server.results == [1, 2])
        #expect(server.stops == 1)
        #expect(server.closed == nil)
    }

    /// librtmp sends it before `play`.
    @Test func subscribingIsAnswered() {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.decide { $0.acceptConnection() }
        server.send(CommandMessage("FCSubscribe", transaction: 4, .string("cam")))
        #expect(server.results == [1, 4])
        let answers = server.commands.filter { $0.name == "onFCSubscribe" }
        #expect(answers.map { Status($0.arguments.first) } == [Status(.status, .playStart, "Subscribed to cam.")])
        // Without a transaction there is only the event.
        server.send(CommandMessage("FCSubscribe", transaction: 0, .string("cam")))
        #expect(server.results == [1, 4])
        #expect(server.commands.count { $0.name == "onFCSubscribe" } == 2)
        #expect(server.decisions.count == 1 && server.closed == nil)
    }

    @Test(arguments: ["_checkbw", "onBWDone"]) func bandwidthChecksAreAnsweredAndChangeNothing(name: String) {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.decide { $0.acceptConnection() }
        server.send(CommandMessage(name, transaction: 5))
        #expect(server.results == [1, 5])
        let count = server.commands.count
        server.send(CommandMessage(name, transaction: 0))
        #expect(server.commands.count == count)
        server.send(CommandMessage("createStream", transaction: 6))
        #expect(server.results == [1, 5, 6])
        #expect(server.closed == nil)
    }

    /// FFmpeg and VLC; `rtmp2src` and `rtmpsrc` differ in the numbers.
    @Test(arguments: [(4.0, -2000.0), (0.0, -2.0), (3.0, 0.0)])
    func playersGetTheLargestChunksAndTheirStart(transaction: Double, start: Double) {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.send(ControlMessage.windowAcknowledgementSize(byteCount: 2_500_000).message)
        server.send(CommandMessage("createStream", transaction: 2))
        server.decide { $0.acceptConnection() }
        server.send(CommandMessage("getStreamLength", transaction: 3, .string("cam")))
        server.send(CommandMessage("play", transaction: transaction, .string("cam"), .number(start)), streamID: 1)
        let buffer = UserControlEvent.setBufferLength(streamID: 1, milliseconds: 3000)
        server.send(ControlMessage.userControl(buffer).message)
        #expect(server.session.framing == nil)
        server.decide { $0.acceptPlaying() }
        #expect(server.session.framing != nil)
        #expect(server.statuses.map(\.code) == [.playReset, .playStart])
        #expect(server.chunkSizes == [65_536, 0xFF_FFFF])
        server.send(CommandMessage("pause", transaction: 0, .boolean(true), .number(10)), streamID: 1)
        #expect(server.pauses == [.pause])
        server.decide { $0.end(.playUnpublished, "the publisher has gone") }
        #expect(server.statuses.last?.code == .playUnpublished)
        #expect(server.closed == .refused("the publisher has gone"))
    }

    @Test func refusalsNameTheirCodeAndClose() {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.decide { $0.acceptConnection() }
        server.send(CommandMessage("publish", transaction: 5, .string("cam")), streamID: 1)
        server.decide { $0.reject(.publishUnauthorized, "user u may not publish /live/cam") }
        #expect(server.statuses == [Status(.error, .publishUnauthorized, "user u may not publish /live/cam")])
        #expect(server.closed == .refused("user u may not publish /live/cam"))
        // Nothing is read behind the end.
        server.send(CommandMessage("createStream", transaction: 6))
        #expect(server.results == [1])
    }

    @Test func credentialsAreAskedForInThreeConnections() {
        var first = ServerUnderTest()
        first.connect(["app": .string("live")])
        guard case .connect(let request) = first.decisions.last else { return #expect(Bool(false)) }
        #expect(request.credentials == nil)
        first.decide { $0.rejectConnection(.needsCredentials) }
        #expect(first.errors.first?.description.contains("code=403 need auth; authmod=adobe") == true)
        #expect(first.closed == .refused("the client must authenticate"))

        var second = ServerUnderTest()
        second.connect(["app": .string("live?authmod=adobe&user=u")])
        guard case .connect(let asking) = second.decisions.last else { return #expect(Bool(false)) }
        #expect(asking.credentials == .user("u"))
        second.decide { $0.rejectConnection(.challenge(user: "u", salt: "s", challenge: "c")) }
        let reason = "?reason=needauth&user=u&salt=s&challenge=c&opaque=c"
        #expect(second.errors.first?.description.hasSuffix(reason) == true)

        var third = ServerUnderTest()
        third.connect(["app": .string("live?authmod=adobe&user=u&challenge=k&response=r&opaque=c")])
        guard case .connect(let answered) = third.decisions.last, case .response(let response) = answered.credentials
        else { return #expect(Bool(false)) }
        #expect(response.challenge == "c")
        #expect(answered.address.path == "/live")
        let secret = AdobeAuthentication.secret(user: "u", salt: "s", password: "p") { "<\($0)>" }
        #expect(response.expectedDigest(secret: secret) { "[\($0)]" } == "[<usp>ck]")
    }

    @Test func whatIsReceivedIsAcknowledgedAndBytesInFlightAreKnown() {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.decide { $0.acceptConnection() }
        #expect(server.session.bytesInFlight == nil)
        server.send(ControlMessage.windowAcknowledgementSize(byteCount: 2000).message)
        server.send(Message(.audio, payload: [UInt8](repeating: 0, count: 2000)))
        #expect(server.acknowledgements.count >= 1)
        server.send(ControlMessage.acknowledgement(byteCount: UInt32(server.sentByteCount)).message)
        #expect(server.session.bytesInFlight == 0)
        server.session.sentMedia(byteCount: 5000)
        #expect(server.session.bytesInFlight == 5000)
    }

    @Test func pingsAreAnsweredAndSent() {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.decide { $0.acceptConnection() }
        server.send(ControlMessage.userControl(.pingRequest(99)).message)
        #expect(server.pongs == [99])
        server.decide { $0.ping(milliseconds: 5) }
        #expect(server.pings == [5])
    }

    @Test func bytesThatAreNotRTMPCloseTheConnection() {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.decide { $0.acceptConnection() }
        server.receive([0xFF])
        #expect(server.closed == .protocolError(.chunkWithoutBeginning(chunkStream: 63)))
        var web = ServerUnderTest(opens: false)
        web.receive(Array("GET / HTTP/1.1\r\n".utf8))
        #expect(web.closed?.description == "invalid RTMP from the client: unsupported RTMP version 71")
        var early = ServerUnderTest()
        early.send(CommandMessage("publish", transaction: 5, .string("cam")), streamID: 1)
        #expect(early.closed == .protocolError(.malformedCommand("publish before connect")))
    }

    @Test func tooManyBytesBehindACommandCloseTheConnection() {
        var server = ServerUnderTest()
        server.connect(["app": .string("live")])
        server.receive([UInt8](repeating: 0, count: RTMPServerSession.maximumWaitingByteCount + 1))
        #expect(server.closed == .tooManyWaitingBytes(limit: RTMPServerSession.maximumWaitingByteCount))
    }
}
