import Delivery
import Media
import RTSP
import RTSPServer
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

@testable import WebRTC
@testable import WebRTCServer

/// A server of WebRTC on loopback with two paths: `/cam`, which the test publishes into by hand, and `/live` for publishers.
struct WebRTCBroadcast {
    let cam = Streams.Stream(path: "/cam", epoch: .now())
    let live: PublishingPoint
    let directory = PathDirectory()
    let lines = LoggedLines()
    let webrtc: WebRTCServer.Server
    let rtsp: RTSPServer.Server

    /// Runs `body` with the server.
    static func run(
        access: AccessPolicy? = nil, _ change: (inout WebRTCServer.ServerOptions) -> Void = { _ in },
        _ body: (Self) async throws -> Void
    ) async throws {
        let broadcast = try Self(access, change)
        do {
            try await body(broadcast)
        } catch {
            await broadcast.rtsp.stop()
            throw error
        }
        await broadcast.rtsp.stop()
    }

    private init(_ access: AccessPolicy?, _ change: (inout WebRTCServer.ServerOptions) -> Void) throws {
        live = PublishingPoint(into: Streams.Stream(path: "/live", epoch: .now()))
        directory.insert(cam, options: PathOptions(title: "camera"))
        directory.insert(live.stream, options: PathOptions(title: "live"), publishing: live)
        var options = WebRTCServer.ServerOptions()
        options.port = 0
        options.address = "127.0.0.1"
        options.usesOnePort = true
        options.sourceMilliseconds = 300
        // Other tests may have the processors for a while.
        options.handshake.seconds = 60
        change(&options)
        webrtc = try WebRTCServer.Server(options: options, logger: lines.log)
        var rtspOptions = RTSPServer.ServerOptions()
        rtspOptions.port = 0
        rtspOptions.loop.udpPorts = 28_002...31_000
        rtspOptions.access = access
        // A viewer that waits for a busy machine has not fallen behind.
        rtspOptions.loop.delivery.policy.maximumLag = 120_000_000_000
        rtsp = try RTSPServer.Server(
            options: rtspOptions, directory: directory, services: [webrtc.service], logger: lines.log)
        webrtc.connect(to: Services(server: rtsp), on: rtsp.loops)
        try rtsp.start()
    }

    /// Publishes a frame into `/cam`, captured now.
    func publishFrame(isKeyframe: Bool = false, fill: UInt8 = 9, byteCount: Int = 1_000) {
        let time = MediaTime(nanoseconds: .now() - cam.epoch, rate: .video)
        let bytes: [UInt8] = [isKeyframe ? 0x65 : 0x41] + [UInt8](repeating: fill, count: byteCount - 1)
        cam.publish(
            AccessUnit(
                track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, bytes: bytes,
                units: [0..<bytes.count]))
    }

    /// Publishes a frame into `/cam`, decoded at the first and presented at the second number of milliseconds.
    func publishFrame(decoded: Int64, presented: Int64, isKeyframe: Bool = false) {
        let bytes: [UInt8] = [isKeyframe ? 0x65 : 0x41] + [UInt8](repeating: 9, count: 999)
        cam.publish(
            AccessUnit(
                track: TrackID(0), presentationTime: MediaTime(ticks: presented * 90, rate: .video),
                decodeTime: MediaTime(ticks: decoded * 90, rate: .video), isKeyframe: isKeyframe, bytes: bytes,
                units: [0..<bytes.count]))
    }

    /// Sends an offer, and waits for the response.
    func open(
        _ offer: String, _ kind: SignallingKind = .playback, _ path: String = "/cam", grant: Grant = .everything,
        from address: String = "127.0.0.1"
    ) async throws -> SignallingResponse {
        let request = SessionRequest(
            kind, path, try Offer(parsing: Array(offer.utf8)), grant,
            of: SessionRequest.Client(
                endpoint: Endpoint(address: address, isLoopback: true), security: .clear, userAgent: "test"),
            resource: "/api/v1/webrtc/")
        return await withCheckedContinuation { continuation in
            webrtc.open(request) { continuation.resume(returning: $0) }
        }
    }

    /// Sends a request about a session, and waits for the response.
    func request(_ method: String, _ session: String) async -> SignallingResponse {
        await withCheckedContinuation { continuation in
            webrtc.receive(SignallingRequest(method: method), forSession: session) {
                continuation.resume(returning: $0)
            }
        }
    }

    struct Services: WebRTCSharedServices {
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

extension SignallingResponse {
    var text: String {
        switch body {
        case .none: ""
        case .description(let text), .problem(let text): text
        }
    }

    func value(of header: String) -> String? { headers.first { $0.name == header }?.value }

    /// The name of the session that was made.
    var session: String { String(value(of: "Location")?.split(separator: "/").last ?? "") }
}

extension Track {
    static let video = Track(id: TrackID(0), format: .h264(h264Sets))
}

/// Parameter sets of the baseline profile for 640×480, in which frames are displayed in the order in which they are sent.
private let h264Sets = H264.ParameterSets(
    sequence: [[0x67, 0x42, 0xC0, 0x1E, 0xDA, 0x02, 0x80, 0xF6, 0x80]], picture: [[0x68, 0xCE, 0x3C, 0x80]])!
