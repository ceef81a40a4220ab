import Delivery
import Logging
import Media
import RTSP
import Reactor
import SRT
import Streams
import Synchronization
import TestSupport
import Testing

@testable import SRTServer

/// An SRT server on loopback with two paths: `/cam`, which the test publishes into by hand, and `/live` for publishers.
struct SRTBroadcast {
    let cam = Streams.Stream(path: "/cam", epoch: .now())
    let live: PublishingPoint
    let services: TestServices
    let lines = LoggedLines()
    let loop: SRTLoop
    let server: Server

    /// Runs `body` with the server. Afterwards nothing may be counted any more.
    static func run(
        override: PublishingPoint.Override = .sameUser, access: AccessPolicy? = nil,
        connection: SRTConnectionOptions = SRTConnectionOptions(), _ change: (inout ServerOptions) -> Void = { _ in },
        _ body: (Self) async throws -> Void
    ) async throws {
        let broadcast = try Self(override, access, connection, change)
        do {
            try await body(broadcast)
        } catch {
            broadcast.loop.stop()
            throw error
        }
        broadcast.loop.stop()
        #expect(broadcast.services.counts == TestServices.Counts(), "everything is uncounted")
        #expect(!broadcast.cam.demand.isNeeded && !broadcast.live.stream.demand.isNeeded)
    }

    private init(
        _ override: PublishingPoint.Override, _ access: AccessPolicy?, _ connection: SRTConnectionOptions,
        _ change: (inout ServerOptions) -> Void
    ) throws {
        live = PublishingPoint(into: Streams.Stream(path: "/live", epoch: .now()), override: override)
        services = TestServices(access)
        services.offer(OfferedPath(stream: cam, connection: connection))
        services.offer(OfferedPath(stream: live.stream, publishing: live, connection: connection))
        var options = ServerOptions()
        (options.port, options.sourceMilliseconds, options.latencyMilliseconds) = (0, 300, 20)
        // Other tests may keep this one from publishing for a while.
        options.silenceSeconds = 120
        change(&options)
        loop = try SRTLoop(logger: lines.log)
        server = try Server(options: options, on: loop)
        try loop.start()
        server.start(with: services)
    }

    func target(
        _ streamID: String, _ connection: SRTConnectionOptions = SRTConnectionOptions(), at host: String = "127.0.0.1"
    ) -> SRTCallTarget {
        var connection = connection
        connection.latencyMilliseconds = connection.latencyMilliseconds ?? 20
        // A numeric address.
        return SRTCallTarget(
            address: SocketAddress(host, port: server.port)!, streamID: streamID, connection: connection)
    }

    /// A client that publishes `source`.
    func publisher(
        _ streamID: String = "#!::r=live,m=publish", of source: Streams.Stream? = nil,
        _ connection: SRTConnectionOptions = SRTConnectionOptions()
    ) -> TestCall {
        let source = source ?? .withVideo()
        return TestCall(source) { loop.send(source, to: target(streamID, connection), events: $0) }
    }

    /// A client that views.
    func viewer(
        _ streamID: String = "cam", _ connection: SRTConnectionOptions = SRTConnectionOptions(),
        at host: String = "127.0.0.1"
    ) -> TestCall {
        let sink = Streams.Stream(path: "/sink", epoch: .now())
        let input = StreamInput(into: sink, trust: .arrival)
        return TestCall(sink) {
            loop.receive(from: target(streamID, connection, at: host), into: input, silenceSeconds: 120, events: $0)
        }
    }
}

/// A call with what has become of it.
final class TestCall: Sendable {
    /// What it sends or has received.
    let stream: Streams.Stream
    let call: SRTCall
    private let events = EventList()

    init(_ stream: Streams.Stream, _ make: (@escaping @Sendable (SRTCall.Event) -> Void) -> SRTCall) {
        self.stream = stream
        let events = events
        call = make { events.add($0) }
    }

    var isConnected: Bool { events.all.contains(.connected) }
    var end: SRTCall.End? {
        for case .ended(let end) in events.all { return end }
        return nil
    }

    func connects() async -> Bool { await eventually(within: 20) { isConnected } }
    /// Waits for its end.
    func ends() async -> SRTCall.End? {
        _ = await eventually(within: 20) { end != nil }
        return end
    }

    private final class EventList: Sendable {
        private let list = Mutex<[SRTCall.Event]>([])

        func add(_ event: SRTCall.Event) { list.withLock { $0.append(event) } }
        var all: [SRTCall.Event] { list.withLock(\.self) }
    }
}

/// Users, paths and counts, as other servers share them.
final class TestServices: SRTSharedServices {
    struct Counts: Hashable {
        var connections = 0
        var viewers = 0
    }

    private struct State {
        var policy: AccessPolicy?
        var version: UInt64 = 0
        var paths: [String: OfferedPath] = [:]
        var counts = Counts()
        var ids = ViewerIDs(after: 0)
        var maximumConnections = 100
        var maximumViewers = 100
        /// What the external service decides.
        var decision = AccessDecision.admitted
        var created: [String] = []
    }

    private let state: Mutex<State>
    let lockOut = LockOut()

    init(_ policy: AccessPolicy?) {
        state = Mutex(State(policy: policy))
    }

    var access: (policy: AccessPolicy?, version: UInt64) { state.withLock { ($0.policy, $0.version) } }
    var counts: Counts { state.withLock { $0.counts } }
    var created: [String] { state.withLock { $0.created } }

    func set(_ policy: AccessPolicy?) { state.withLock { ($0.policy, $0.version) = (policy, $0.version + 1) } }
    func limit(connections: Int) { state.withLock { $0.maximumConnections = connections } }
    func decide(_ decision: AccessDecision) { state.withLock { $0.decision = decision } }
    func offer(_ path: OfferedPath) { state.withLock { $0.paths[path.stream.path] = path } }

    func decide(
        _ request: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void
    ) { answer(state.withLock { $0.decision }) }

    func handshakeEnded() {}

    func admit(_ peer: SocketAddress, _ security: ConnectionSecurity) -> String? {
        state.withLock { state in
            guard state.counts.connections < state.maximumConnections else { return "too many connections" }
            state.counts.connections += 1
            return nil
        }
    }

    func left(_ peer: SocketAddress) { state.withLock { $0.counts.connections -= 1 } }
    func path(at path: String) -> OfferedPath? { state.withLock { $0.paths[path] } }
    func nearestPath(to path: String) -> String? {
        nearestName(to: path, among: state.withLock { Array($0.paths.keys) })
    }

    /// Publishers may create `/new/…`.
    func creatablePath(at path: String) -> SRTConnectionOptions? {
        path.hasPrefix("/new/") ? SRTConnectionOptions() : nil
    }

    func createPath(
        _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
    ) -> Bool {
        guard path != "/new/full" else {
            then("there are too many paths")
            return true
        }
        let point = PublishingPoint(into: Streams.Stream(path: path, epoch: .now()))
        offer(OfferedPath(stream: point.stream, publishing: point))
        state.withLock { $0.created.append(path) }
        then(nil)
        return true
    }

    func admitViewer() -> Bool {
        state.withLock { state in
            guard state.counts.viewers < state.maximumViewers else { return false }
            state.counts.viewers += 1
            return true
        }
    }

    func nextViewerID() -> ViewerID { state.withLock { $0.ids.next() } }
    func viewerLeft() { state.withLock { $0.counts.viewers -= 1 } }
}

extension AccessPolicy {
    /// `ann` may do everything, and `eve` may watch. The hash functions are none, but equal on both ends.
    static func users(guessCount: Int = 10, asksExternally: Bool = false) -> AccessPolicy {
        var guessing = GuessLimits()
        guessing.guessCount = guessCount
        let all = [PathPattern("*")].compactMap(\.self)
        return AccessPolicy(
            realm: "Apus",
            users: [
                User(name: "ann", secret: .password("sesame"), rights: [.read: all, .publish: all]),
                User(name: "eve", secret: .password("apple"), rights: [.read: all]),
            ], guessing: guessing, exemptPaths: asksExternally ? [] : nil, hashes: { .mixing },
            random: { .random(in: .min ... .max) })
    }
}

extension HashFunctions {
    static let mixing = HashFunctions(
        md5: { mixed($0, count: 16) }, sha256: { mixed($0, count: 32) },
        stretched: { mixed($0 + $1, count: 32) }, isSame: { $0 == $1 })
}

private func mixed(_ bytes: [UInt8], count: Int) -> [UInt8] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
}

extension SRTConnectionOptions {
    static func secret(_ text: String = "a long secret", _ length: SRTKeyLength? = nil) -> Self {
        // The texts of the tests are long enough; without a passphrase they would fail.
        Self(passphrase: try? SRTPassphrase(text), keyLength: length)
    }
}

// MARK: - Media

/// Parameter sets of x264 for 640×360.
let h264Sets = H264.ParameterSets(
    sequence: [
        [
            0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
            0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
        ]
    ], picture: [[0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]])!

extension Track {
    static let video = Track(id: TrackID(0), format: .h264(h264Sets))
    static let audio = Track(id: TrackID(1), format: .aac(AAC.AudioSpecificConfig(parsing: [0x11, 0x90])!))
}

extension Streams.Stream {
    static func withVideo() -> Streams.Stream {
        let stream = Streams.Stream(path: "/source", epoch: .now())
        stream.announce([.video])
        return stream
    }

    /// Publishes a frame of one NAL unit, captured now. Its bytes are `fill`, which is not 0.
    func publishFrame(isKeyframe: Bool = false, fill: UInt8, byteCount: Int = 3_000) {
        let time = MediaTime(nanoseconds: .now() - epoch, rate: .video)
        // A slice that begins a picture: of type I, or P.
        let head: [UInt8] = isKeyframe ? [0x65, 0x88, 0x84] : [0x41, 0x9A, 0x21]
        let bytes = head + [UInt8](repeating: fill, count: byteCount - head.count)
        publish(
            AccessUnit(
                track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, bytes: bytes,
                units: [0..<bytes.count]))
    }
}

/// Reads what a stream is published.
final class UnitList {
    private let stream: Streams.Stream
    private var feed: Feed<UnitPackager>?
    private var reader = FeedReader<PublishedUnit>()
    private let waker = SRTWaker()
    private(set) var units: [AccessUnit] = []

    init(of stream: Streams.Stream) {
        self.stream = stream
    }

    /// The last byte of each video frame that has come so far.
    var fills: [UInt8] {
        update()
        return units.filter { $0.track == TrackID(0) }.compactMap(\.bytes.last)
    }

    private func update() {
        if feed == nil { feed = stream.feed(UnitPackager.self, options: 0, for: waker) }
        guard let feed else { return }
        let end = reader.endIndex
        feed.update(&reader)
        units += (max(end, reader.startIndex)..<reader.endIndex).map { reader[$0].unit }
    }
}

struct PublishedUnit: PackagedUnit {
    let unit: AccessUnit

    var track: TrackID { unit.track }
    var presentationTime: MediaTime { unit.presentationTime }
    var isKeyframe: Bool { unit.isKeyframe }
    var part: AccessUnit.Part { unit.part }
    var byteCount: Int { unit.bytes.count }
}

struct UnitPackager: Packager {
    init(tracks: [Track], options: Int) {}

    mutating func package(_ unit: AccessUnit) -> PublishedUnit? { PublishedUnit(unit: unit) }
}
