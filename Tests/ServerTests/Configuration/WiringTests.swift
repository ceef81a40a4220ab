import Capture
import Delivery
import Media
import RTSPServer
import Reactor
import SDP
import Streams
import Testing

@testable import Server

/// What the rooms below are told of the configuration.
struct WiringTests {
    @Test func theDefaultsAreThoseOfTheServer() {
        let options = ServerOptions(Configuration(), access: nil)
        let own = ServerOptions()
        #expect(options.port == own.port)
        #expect(options.address == nil)
        #expect(options.loopCount == max(1, Processors.usable().count))
        #expect(options.loop.udpPorts == own.loop.udpPorts)
        #expect(options.loop.codePoint == nil)
        #expect(options.loop.maximumSeparateSockets == own.loop.maximumSeparateSockets)
        #expect(options.maximumViewers == own.maximumViewers)
        #expect(options.connectionLimits == own.connectionLimits)
        #expect(options.maximumFastStartByteCount == own.maximumFastStartByteCount)
        #expect(options.loop.delivery == own.loop.delivery)
        var connection = options.connection
        connection.serverName = own.connection.serverName
        #expect(connection == own.connection)
        #expect(Stream.Limits(Configuration()) == Stream.Limits())
        let path = PathOptions("cam", Configuration.Path(), in: Configuration())
        #expect(path.join == PathOptions(title: "cam").join)
        #expect(EncodingSettings(Configuration.Path()) == EncodingSettings())
    }

    @Test(arguments: JoinMode.allCases)
    func aPathHasItsJoinModeOrThatOfTheServer(_ mode: JoinMode) {
        var configuration = Configuration()
        configuration.join.mode = mode
        #expect(PathOptions("cam", .init(), in: configuration).join.mode == mode)
        configuration.join.mode = .auto
        var path = Configuration.Path()
        path.join = mode
        #expect(PathOptions("cam", path, in: configuration).join.mode == mode)
    }

    @Test func optionsReachTheServer() throws {
        let yaml = """
            server: { port: 554, address: "::1", sessionTimeoutSeconds: 30 }
            loops: { threads: 3 }
            limits: { requestHeadBytes: 2048, sessionsPerConnection: 2, viewerLagMilliseconds: 250, viewerStallSeconds: 5 }
            rtp: { maximumPacketBytes: 1200, firstUDPPort: 7000, lastUDPPort: 7010, dscp: 34, separateSockets: 7 }
            multicast: { firstGroup: 239.1.1.1, port: 6000, timeToLive: 3, interface: 127.0.0.1 }
            ring: { seconds: 5 }
            randomAccess: { intervalMilliseconds: 250 }
            paths: { a: { title: Yard, multicast: always, audio: { enabled: false }, video: { width: 640, frameRate: 25, profile: main, encoderFallback: false, intraRefresh: true } } }
            """
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        let options = ServerOptions(configuration, access: nil)
        #expect(options.port == 554)
        #expect(options.address == "::1")
        #expect(options.loopCount == 3)
        #expect(options.loop.udpPorts == 7000...7010)
        #expect(options.loop.codePoint == 34)
        #expect(options.loop.maximumSeparateSockets == 7)
        #expect(options.connection.sessionTimeoutSeconds == 30)
        #expect(options.connection.messageLimits.headByteCount == 2048)
        #expect(options.connection.maximumSessionCount == 2)
        #expect(options.loop.delivery.packaging.maximumPacketBytes == 1200)
        #expect(options.loop.delivery.policy.maximumLag == 250_000_000)
        #expect(options.loop.delivery.policy.maximumStall == 5_000_000_000)
        #expect(Stream.Limits(configuration).history.nanoseconds == 5_000_000_000)
        #expect(Stream.Limits(configuration).keyframeRequests.interval == 250_000_000)
        let path = try #require(configuration.paths["a"])
        let pathOptions = PathOptions("a", path, in: configuration)
        #expect(pathOptions.title == "Yard")
        #expect(
            pathOptions.multicast
                == MulticastOptions(
                    group: "239.1.1.1", port: 6000, timeToLive: 3, interface: "127.0.0.1", isAlwaysOn: true))
        #expect(pathOptions.multicastTransportStream == nil)
        let card = EncodingSettings(path)
        #expect(card.audio == nil)
        #expect(card.video.width == 640)
        #expect(card.video.profile == .main)
        #expect(card.video.encoderFallback == false)
        #expect(card.video.intraRefresh)
        // Two seconds.
        #expect(card.video.gopFrames == 50)
    }

    @Test(arguments: [1024, 5004, 65_500])
    func theTransportStreamUsesAPortAboveTheTracks(_ port: Int) throws {
        let yaml = """
            multicast: { port: \(port), timeToLive: 3, interface: 127.0.0.1 }
            paths: { a: { multicast: always, multicastTransportStream: onRequest }, b: { multicastTransportStream: always } }
            """
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        let options = try ["a", "b"].map {
            PathOptions($0, try #require(configuration.paths[$0]), in: configuration)
        }
        let tracks = try #require(options[0].multicast)
        let streams = try options.map { try #require($0.multicastTransportStream) }
        #expect(streams.map(\.group) == ["239.255.42.1", "239.255.42.2"])
        #expect(streams.map(\.isAlwaysOn) == [false, true])
        #expect(options[1].multicast == nil)
        // Between them are the port pairs for video, audio and two more tracks.
        #expect(streams.allSatisfy { $0.port.isMultiple(of: 2) && $0.port >= tracks.port + 2 * 4 && $0.port < .max })
        #expect(streams.allSatisfy { $0.timeToLive == 3 && $0.interface == "127.0.0.1" })
        #expect(configuration.transportStreamURL(of: "a") == "rtp://@\(streams[0].group):\(streams[0].port)")
    }

    @Test func theMulticastSDPFileHasTheGroupAndAPortPairPerTrack() throws {
        let yaml = "paths: { a: { multicast: always }, b: { multicastTransportStream: always } }"
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        let served = try SessionDescription(
            parsing: """
                v=0\r\no=- 7 2 IN IP4 127.0.0.1\r\ns=Yard\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\na=control:*\r\n\
                m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n\
                a=fmtp:96 packetization-mode=1;profile-level-id=42C01E;sprop-parameter-sets=Z0LAHtkDxWhAAAADAEAAAAwDxYuS,aMuMsg==\r\n\
                a=control:track1\r\nm=audio 0 RTP/AVP 97\r\na=rtpmap:97 MPEG4-GENERIC/48000/2\r\n\
                a=fmtp:97 streamtype=5;profile-level-id=41;mode=AAC-hbr;config=1190;sizelength=13;indexlength=3;indexdeltalength=3\r\n\
                a=control:track2\r\n
                """)
        let text = try configuration.multicastDescription(of: "a", served: served).text
        let lines = text.split(separator: "\r\n")
        for line in ["s=Yard", "c=IN IP4 239.255.42.1/1", "m=video 5004 RTP/AVP 96", "m=audio 5006 RTP/AVP 97"] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
        #expect(!text.contains("a=control"))
        #expect(throws: MulticastDescriptionFailure.notMulticast("b")) {
            try configuration.multicastDescription(of: "b", served: served)
        }
    }
}
