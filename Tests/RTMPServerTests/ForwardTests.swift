import Connecting
import Delivery
import Media
import RTMPClient
import RTSP
import SDP
import Streams
import Synchronization
import TLS
import TestSupport
import Testing

@testable import RTMP

/// A server that publishes its stream to another by RTMP. Here both are one.
@Suite(.serialized)
struct ForwardTests {
    /// Keeps what becomes of a forward.
    private final class Journal: ForwardObserver {
        private let list = Mutex<[ForwardEnd]>([])

        var reasons: [String] { list.withLock { $0.map(\.description) } }
        var failures: [SessionFailure] {
            list.withLock { ends in
                ends.compactMap { if case .failed(let failure) = $0.cause { failure } else { nil } }
            }
        }

        func forwardBegan(at now: MonotonicTime) {}

        func forwardEnded(_ end: ForwardEnd, startedAt start: MonotonicTime, at now: MonotonicTime) -> Int64 {
            list.withLock { $0.append(end) }
            return 50
        }
    }

    private func forwarding(
        to path: String = "live", access: AccessPolicy? = nil, login: RTMP.ClientLogin? = nil,
        _ body: (RTMPBroadcast, Forward, Journal) async throws -> Void
    ) async throws {
        let loops = ForwardLoops()
        try await RTMPBroadcast.run(access: access, services: [loops.service]) { broadcast in
            broadcast.cam.announce([.video])
            let journal = Journal()
            let plan = RTMPForwardPlan(try broadcast.plan(.publish, path, login: login))
            let forward = Forward(plan, of: broadcast.cam, holdsStream: true, observer: journal, at: .now())
            broadcast.publishFrame(isKeyframe: true, fill: 1)
            loops.start(forward)
            try await body(broadcast, forward, journal)
            forward.stop()
        }
    }

    /// Each frame is with the viewers of the other server, also one that is longer than a chunk.
    @Test func whatAServerForwardsReachesTheOthersPlayers() async throws {
        try await forwarding { broadcast, forward, journal in
            #expect(await eventually(within: 20) { broadcast.live.stream.announcement != nil })
            #expect(broadcast.live.stream.announcement?.tracks == [.video])
            let player = try broadcast.player("live")
            #expect(player.start() && player.read { player.frames.count == 1 })
            for fill in 2...5 { broadcast.publishFrame(fill: UInt8(fill)) }
            broadcast.publishFrame(isKeyframe: true, fill: 6, byteCount: 200_000)
            broadcast.publishFrame(fill: 7)
            try #require(player.read { player.frames.count == 7 })
            #expect(player.frames.map { $0.last } == [1, 2, 3, 4, 5, 6, 7])
            #expect(player.frames[5].count > 200_000)
            #expect(await eventually(within: 20) { forward.status.packets == 7 })
            #expect(forward.status.state == .forwarding && forward.status.bytes > 206_000)
            forward.stop()
            #expect(await eventually(within: 20) { broadcast.live.publisher == nil })
            #expect(journal.reasons.isEmpty)
        }
    }

    /// Inside TLS, also a frame that is longer than a chunk and a record.
    @Test func aForwardMayBeEncrypted() async throws {
        let loops = ForwardLoops()
        let own = try SelfSignedCertificate(for: [.address("127.0.0.1")], days: 7)
        let identity = try ServerIdentity(certificates: own.certificate, key: own.key)
        try await RTMPBroadcast.run(services: [loops.service]) { options in
            options.tls = .init(port: 0, identity: identity)
        } _: { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true, fill: 1, byteCount: 200_000)
            let port = try #require(broadcast.rtmp.port(for: .tls))
            let url = try #require(RTMPURL("rtmps://127.0.0.1:\(port)/live"))
            var connection = url.connection
            connection.security = try TLSClient(accepting: .any)
            let plan = RTMPForwardPlan(RTMPSessionPlan(url.target(.publish), connection, login: nil))
            let forward = Forward(plan, of: broadcast.cam, holdsStream: true, observer: Journal(), at: .now())
            loops.start(forward)
            let player = try broadcast.player("live")
            #expect(await eventually(within: 20) { broadcast.live.stream.announcement != nil })
            #expect(player.start() && player.read { player.frames.count == 1 })
            for fill in 2...4 { broadcast.publishFrame(isKeyframe: true, fill: UInt8(fill), byteCount: 100_000) }
            #expect(player.read { player.frames.count == 4 })
            #expect(player.frames.map { $0.last } == [1, 2, 3, 4])
            #expect(player.frames.map(\.count).allSatisfy { $0 >= 100_000 })
            forward.stop()
        }
    }

    @Test func aRefusalIsTriedAgain() async throws {
        try await forwarding(to: "no/path") { _, forward, journal in
            #expect(await eventually(within: 20) { journal.failures.count >= 3 })
            let failure = try #require(journal.failures.first)
            #expect(failure.kind == .refused && failure.reason.hasPrefix("the server refused: "))
            #expect(failure.reason.hasSuffix("(NetStream.Publish.BadName)"), "\(failure)")
            #expect(forward.status.state == .failing)
        }
    }

    private static func login(_ password: String) -> RTMP.ClientLogin {
        RTMP.ClientLogin(user: "ann", password: password, clientChallenge: "1a2b") {
            Base64.encode(mixed(Array($0.utf8), count: 16))
        }
    }

    @Test func itAnswersAChallenge() async throws {
        try await forwarding(access: .users(), login: Self.login("sesame")) { broadcast, forward, _ in
            #expect(await eventually(within: 20) { forward.status.state == .forwarding })
            #expect(broadcast.live.publisher?.user == "ann")
        }
    }

    @Test(arguments: ["pear", nil])
    func withoutTheRightPasswordItFails(_ password: String?) async throws {
        try await forwarding(access: .users(), login: password.map(Self.login)) { _, forward, journal in
            #expect(await eventually(within: 20) { !journal.failures.isEmpty })
            #expect(journal.failures.first?.kind == (password == nil ? .passwordRequired : .wrongPassword))
        }
    }

    @Test func aServerThatIsNotThereIsTriedAgain() async throws {
        let loops = ForwardLoops()
        try await RTMPBroadcast.run(services: [loops.service]) { broadcast in
            broadcast.cam.announce([.video])
            let journal = Journal()
            let url = try #require(RTMPURL("rtmp://127.0.0.1:1/live/cam"))
            let plan = RTMPForwardPlan(RTMPSessionPlan(url.target(.publish), url.connection, login: nil))
            let forward = Forward(plan, of: broadcast.cam, holdsStream: true, observer: journal, at: .now())
            loops.start(forward)
            #expect(await eventually(within: 20) { journal.failures.count >= 2 })
            #expect(journal.reasons.first?.contains("refused") == true, "\(journal.reasons)")
            forward.stop()
        }
    }
}
