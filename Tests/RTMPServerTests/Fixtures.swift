import Delivery
import Logging
import Media
import RTSP
import RTSPServer
import Reactor
import Streams
import TestSupport
import Testing

@testable import RTMP
@testable import RTMPClient
@testable import RTMPServer

/// A server of RTSP and RTMP on loopback with two paths: `/cam`, which the test publishes into by hand, and `/live` for publishers.
struct RTMPBroadcast {
    let cam = Streams.Stream(path: "/cam", epoch: .now())
    let live: PublishingPoint
    /// The paths that have further video tracks of `/live`.
    let tracks = TrackDirectory()
    let directory = PathDirectory()
    let lines = LoggedLines()
    let rtmp: RTMPServer.Server
    let rtsp: RTSPServer.Server

    /// Runs `body` with the server.
    ///
    /// - Parameter services: further services of its loops.
    static func run(
        override: PublishingPoint.Override = .sameUser, access: AccessPolicy? = nil,
        services: [MediaLoop.ServiceMaker] = [], _ change: (inout RTMPServer.ServerOptions) -> Void = { _ in },
        limits: (inout RTSPServer.ServerOptions) -> Void = { _ in }, _ body: (Self) async throws -> Void
    ) async throws {
        let broadcast = try Self(override, access, services, change, limits)
        do {
            try await body(broadcast)
        } catch {
            await broadcast.rtsp.stop()
            throw error
        }
        await broadcast.rtsp.stop()
    }

    private init(
        _ override: PublishingPoint.Override, _ access: AccessPolicy?, _ services: [MediaLoop.ServiceMaker],
        _ change: (inout RTMPServer.ServerOptions) -> Void, _ limits: (inout RTSPServer.ServerOptions) -> Void
    ) throws {
        live = PublishingPoint(into: Streams.Stream(path: "/live", epoch: .now()), override: override, tracks: tracks)
        directory.insert(cam, options: PathOptions(title: "camera"))
        directory.insert(live.stream, options: PathOptions(title: "live"), publishing: live)
        var options = RTMPServer.ServerOptions()
        options.port = 0
        options.sourceMilliseconds = 300
        // A test may wait for its turn longer than the usual 10 s, and a player that waits for one has not fallen behind.
        options.silenceSeconds = 120
        options.policy.maximumLag = 120_000_000_000
        change(&options)
        rtmp = try RTMPServer.Server(options: options, logger: lines.log)
        var rtspOptions = RTSPServer.ServerOptions()
        rtspOptions.port = 0
        rtspOptions.loop.udpPorts = 24_002...28_000
        rtspOptions.access = access
        rtspOptions.loopCount = 2
        rtspOptions.loop.delivery.policy = options.policy
        limits(&rtspOptions)
        rtsp = try RTSPServer.Server(
            options: rtspOptions, directory: directory, services: services + [rtmp.service], logger: lines.log)
        rtmp.connect(to: Services(server: rtsp), on: rtsp.loops)
        try rtsp.start()
    }

    /// Serves a path that has a video track of what is published to `/live`.
    func serve(track number: UInt8, at path: String) -> PublishingPoint {
        let point = PublishingPoint(into: Streams.Stream(path: path, epoch: live.stream.epoch), override: .always)
        directory.insert(point.stream, options: PathOptions(title: path))
        tracks.insert(point, at: TrackDirectory.Key(path: "/live", number: TrackNumber(number)))
        return point
    }

    var port: Int { Int(rtmp.port(for: .clear) ?? 0) }

    /// Publishes a frame into `/cam`, captured now.
    func publishFrame(isKeyframe: Bool = false, fill: UInt8 = 9, byteCount: Int = 1_000) {
        let time = MediaTime(nanoseconds: .now() - cam.epoch, rate: .video)
        cam.publish(.frame(isKeyframe: isKeyframe, fill: fill, byteCount: byteCount, at: time))
    }

    /// A session with the server of a client that is no test's.
    func plan(
        _ action: ClientTarget.Action, _ path: String, login: RTMP.ClientLogin? = nil
    ) throws -> RTMPSessionPlan {
        let url = try #require(RTMPURL("rtmp://127.0.0.1:\(port)/\(path)"))
        return RTMPSessionPlan(url.target(action), url.connection, login: login)
    }

    /// A client that publishes.
    func publisher(
        _ path: String = "live", query: String = "", login: RTMP.ClientLogin? = nil, from source: String? = nil
    ) throws -> TestClient {
        try TestClient(.publish, path, query: query, login: login, port: port, from: source)
    }

    /// A client that plays.
    func player(
        _ path: String = "cam", query: String = "", login: RTMP.ClientLogin? = nil, from source: String? = nil,
        bufferByteCount: Int32? = nil
    ) throws -> TestClient {
        try TestClient(
            .play, path, query: query, login: login, port: port, from: source, bufferByteCount: bufferByteCount)
    }

    struct Services: RTMPSharedServices {
        let server: RTSPServer.Server

        var access: (policy: AccessPolicy?, version: UInt64) { server.access }
        var lockOut: LockOut { server.lockOut }
        func decide(
            _ request: ExternalAuthorisationRequest, for connection: String,
            _ answer: @escaping @Sendable (AccessDecision) -> Void
        ) { server.decide(request, for: connection, answer) }
        func admit(_ peer: SocketAddress, _ security: ConnectionSecurity) -> String? {
            server.admitConnection(of: peer, security)
        }
        func handshakeEnded() { server.handshakeEnded() }
        func left(_ peer: SocketAddress) { server.connectionClosed(of: peer) }
        func path(at path: String) -> OfferedPath? {
            server.entry(at: path).map {
                OfferedPath(stream: $0.stream, join: $0.options.join, publishing: $0.publishing)
            }
        }
        func nearestPath(to path: String) -> String? { server.nearestPath(to: path) }
        func createPath(
            _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
        ) -> Bool { server.createPath(path, for: publisher, then) }
        func admitViewer() -> Bool { server.admitViewer() }
        func nextViewerID() -> ViewerID { server.nextViewerID() }
        func viewerLeft() { server.viewerLeft() }
    }
}

extension AccessPolicy {
    /// `ann` may do everything, and `eve` may watch. The hash functions are none, but equal on both ends.
    static func users(guessCount: Int = 10) -> AccessPolicy {
        var guessing = GuessLimits()
        guessing.guessCount = guessCount
        guessing.delayMilliseconds = 10
        let all = [PathPattern("*")].compactMap(\.self)
        return AccessPolicy(
            realm: "Apus",
            users: [
                User(name: "ann", secret: .password("sesame"), rights: [.read: all, .publish: all]),
                User(name: "eve", secret: .password("apple"), rights: [.read: all]),
                User(name: "bob", secret: .digest(String(repeating: "0", count: 32)), rights: [.read: all]),
            ], guessing: guessing, hashes: { .mixing }, random: { .random(in: .min ... .max) })
    }
}

extension HashFunctions {
    static let mixing = HashFunctions(
        md5: { mixed($0, count: 16) }, sha256: { mixed($0, count: 32) },
        stretched: { mixed($0 + $1, count: 32) }, isSame: { $0 == $1 })
}

func mixed(_ bytes: [UInt8], count: Int) -> [UInt8] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
}

extension Track {
    static let video = Track(id: TrackID(0), format: .h264(h264Sets))
    static let audio = Track(
        id: TrackID(1), format: .aac(AAC.AudioSpecificConfig(parsing: [0x11, 0x90])!))
}

/// Parameter sets of x264 for 640×360.
let h264Sets = H264.ParameterSets(
    sequence: [
        [
            0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
            0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
        ]
    ], picture: [[0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]])!

extension AccessUnit {
    /// A video frame of one NAL unit.
    static func frame(isKeyframe: Bool = false, fill: UInt8 = 9, byteCount: Int = 1_000, at time: MediaTime) -> Self {
        let bytes: [UInt8] = [isKeyframe ? 0x65 : 0x41] + [UInt8](repeating: fill, count: byteCount - 1)
        return AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, bytes: bytes,
            units: [0..<bytes.count])
    }
}
