import Delivery
import Logging
import Media
import RTSPServer
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

/// A server on loopback with two paths: `/cam`, which the test publishes into by hand, and `/dead`, which has no input.
struct Broadcast {
    let stream = Streams.Stream(path: "/cam", epoch: .now())
    let source = IdleSource()
    let directory = PathDirectory()
    let server: Server

    static let video = Track(
        id: TrackID(0), clockRate: .video,
        // Only the types of the parameter sets matter.
        format: .h264(H264.ParameterSets(sequence: [[0x67, 0x42, 0xC0, 0x1F]], picture: [[0x68, 0xCE]])!))
    static let audio = Track(
        id: TrackID(1), clockRate: .audio48k,
        format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)))

    /// Runs `body` with the server.
    static func run(
        multicast: MulticastOptions? = nil, services: [MediaLoop.ServiceMaker] = [],
        _ change: (inout ServerOptions) -> Void = { _ in }, _ body: (Broadcast) async throws -> Void
    ) async throws {
        let broadcast = try Broadcast(multicast: multicast, services, change)
        do {
            try await body(broadcast)
        } catch {
            await broadcast.server.stop()
            throw error
        }
        await broadcast.server.stop()
    }

    private init(
        multicast: MulticastOptions?, _ services: [MediaLoop.ServiceMaker], _ change: (inout ServerOptions) -> Void
    ) throws {
        var path = PathOptions(title: "camera")
        path.multicast = multicast
        directory.insert(stream, options: path)
        directory.insert(Streams.Stream(path: "/dead", epoch: .now()), options: PathOptions(title: "nothing"))
        stream.attach(source)
        var options = ServerOptions()
        options.port = 0
        options.loop.udpPorts = 20_000...24_000
        change(&options)
        server = try Server(
            options: options, directory: directory, services: services,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try server.start()
    }

    /// Publishes keyframes one after the other; the viewer gets each at once, in one interleaved packet, without a gap.
    func publishFrames(_ count: Int, seenBy viewer: RTSPSocket) throws {
        var last: UInt16?
        for _ in 0..<count {
            publish(idr: true)
            let deadline = MonotonicTime.now().advanced(byMilliseconds: 5_000)
            var frame = viewer.frame(within: 5)
            // Reports come on the other channel.
            while let report = frame, report.channel != 0, .now() < deadline { frame = viewer.frame(within: 5) }
            let packet = try #require(frame.flatMap { $0.channel == 0 ? $0.bytes : nil })
            let number = UInt16(packet[2]) << 8 | UInt16(packet[3])
            #expect(last.map { number == $0 &+ 1 } ?? true)
            last = number
        }
    }

    var url: String { "rtsp://127.0.0.1/cam" }
    var port: Int { Int(server.port) }

    /// Publishes a frame of one packet, captured now.
    ///
    /// - Parameter other: the stream to publish into instead of `/cam`.
    func publish(idr: Bool = false, into other: Streams.Stream? = nil) {
        let stream = other ?? stream
        let time = MediaTime(nanoseconds: .now() - stream.epoch, rate: .video)
        let bytes: [UInt8] = [idr ? 0x65 : 0x41] + [UInt8](repeating: 9, count: 1_000)
        stream.publish(
            AccessUnit(
                track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: idr, bytes: bytes,
                units: [0..<bytes.count]))
    }

    /// Packets that all loops have sent.
    func packetCount() async -> UInt64 { await server.statistics().reduce(0) { $0 + $1.packets } }

    /// Sets up the first track over `transport`; returns the session header for further requests, and the answer.
    func setUp(
        on client: RTSPSocket, _ transport: String, track: Int = 1, in session: [String: String] = [:]
    ) throws -> (session: [String: String], answer: RTSPSocket.Response) {
        let headers = session.merging(["Transport": transport]) { old, _ in old }
        let answer = try client.request("SETUP", "\(url)/track\(track)", headers)
        let id = answer.header("Session")?.split(separator: ";").first.map(String.init) ?? ""
        return (["Session": id], answer)
    }
}

/// Counts keyframe requests, and publishes nothing.
final class IdleSource: Source {
    let requests = Atomic(0)

    func requestKeyframe() {
        requests.add(1, ordering: .relaxed)
    }
}
