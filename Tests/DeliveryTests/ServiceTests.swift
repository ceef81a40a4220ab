import Media
import RTP
import Testing

@testable import Delivery

/// The order in which viewers are served, and how much at once.
@Suite struct ServiceRoundTests {
    static func round(_ round: inout ServiceRound, of count: Int) -> [Int] {
        var order: [Int] = []
        while let index = round.next(of: count) { order.append(index) }
        return order
    }

    static func begins(_ round: inout ServiceRound, at newest: Int64, of count: Int) -> Bool {
        round.begin(at: newest, viewerCount: count)
    }

    @Test func everyViewerIsServedOnceAndAnotherIsFirstEachTime() {
        var round = ServiceRound()
        var firsts: Set<Int> = []
        for newest in 0..<5 as Range<Int64> {
            #expect(Self.begins(&round, at: newest, of: 5))
            let order = Self.round(&round, of: 5)
            #expect(order.sorted() == [0, 1, 2, 3, 4])
            firsts.insert(order[0])
        }
        #expect(firsts.count == 5)
    }

    @Test func withoutNewRunsThereIsNoRound() {
        var round = ServiceRound()
        #expect(Self.begins(&round, at: 7, of: 2))
        #expect(Self.round(&round, of: 2).count == 2)
        #expect(!Self.begins(&round, at: 7, of: 2))
        #expect(Self.begins(&round, at: 8, of: 2))
    }

    @Test func aRoundThatIsUnderWayContinues() {
        var round = ServiceRound()
        _ = round.begin(at: 1, viewerCount: 4)
        let first = [round.next(of: 4), round.next(of: 4)].compactMap(\.self)
        #expect(Self.begins(&round, at: 2, of: 4))
        #expect((first + Self.round(&round, of: 4)).sorted() == [0, 1, 2, 3])
        #expect(round.endIndex == 1)
    }

    @Test(arguments: [3, 5, 1]) func remainingViewersAreServedIfOthersComeAndGo(later: Int) {
        var round = ServiceRound()
        for newest in 0..<10 as Range<Int64> {
            _ = round.begin(at: newest, viewerCount: 4)
            _ = round.next(of: 4)
            round.viewersChanged()
            #expect(Self.round(&round, of: later).sorted() == Array(0..<later))
        }
    }
}

@Suite(.serialized)
struct ServiceTests {
    /// Viewers of one broadcast that send to one client. Its socket may drop packets.
    private func viewers(_ count: Int, of broadcast: Broadcast, like client: borrowing UDPClient) throws -> [Viewer] {
        broadcast.publish(idr: true, byteCount: 500)
        var viewers: [Viewer] = []
        for _ in 1...count {
            let viewer = Viewer(canonicalName: "test", trackCount: 1, output: nil, at: broadcast.now)
            viewer.setUp(TrackID(0), as: try #require(client.viewer.tracks[0]))
            #expect(broadcast.start(viewer))
            viewers.append(viewer)
        }
        broadcast.turn(after: 40)
        return viewers
    }

    @Test func aLargeFrameIsSpreadOverTurnsAndReachesAllViewers() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        _ = try viewers(100, of: broadcast, like: client)
        broadcast.publish(idr: true, byteCount: 100_000)
        let before = broadcast.delivery.statistics
        var turns = 1
        while broadcast.turn() <= broadcast.now, turns < 100 { turns += 1 }
        #expect((3...5).contains(turns))
        #expect(broadcast.delivery.statistics.since(before).units == 100)
        #expect(broadcast.turn() > broadcast.now)
    }

    @Test func oneTurnSendsNoMoreThanItsAllowance() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        _ = try viewers(100, of: broadcast, like: client)
        broadcast.publish(idr: true, byteCount: 100_000)
        let before = broadcast.delivery.statistics.bytes
        #expect(broadcast.turn() == broadcast.now)
        #expect(broadcast.delivery.statistics.bytes - before < 4_400_000)
    }

    @Test func runsThatComeDuringARoundReachAllViewers() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        let viewers = try viewers(100, of: broadcast, like: client)
        broadcast.publish(idr: true, byteCount: 100_000)
        broadcast.turn()
        broadcast.publish(byteCount: 1_000)
        var turns = 1
        while broadcast.turn() <= broadcast.now, turns < 100 { turns += 1 }
        let end = try #require(broadcast.delivery.audience(of: viewers[0])?.view.endIndex)
        #expect(viewers.allSatisfy { $0.follower.position.index == end })
    }

    @Test func aViewerThatHasEverythingIsNotCheckedUntilSomethingComes() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        let viewers = try viewers(3, of: broadcast, like: client)
        let audience = try #require(broadcast.delivery.audience(of: viewers[0]))
        #expect(audience.viewers.behind.isEmpty)
        let transmitter = Transmitter(policy: .init())
        transmitter.beginShare(of: 1)
        #expect(audience.serveAll(with: transmitter) == .none)
    }

    @Test func aViewerThatWasRolledBackIsServedInTheNextTurn() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        let viewer = try viewers(1, of: broadcast, like: client)[0]
        broadcast.publish(byteCount: 9_000)
        let audience = try #require(broadcast.delivery.audience(of: viewer))
        audience.feed.update(&audience.view.reader)
        let transmitter = Transmitter(policy: .init())
        transmitter.beginShare(of: 1)
        #expect(audience.serveAll(with: transmitter) == .complete)
        #expect(audience.viewers.behind.isEmpty)
        transmitter.rollBack(client.ports.shared.batch.rollBack())
        #expect(transmitter.takeOutcome().rolledBack.map(ObjectIdentifier.init) == [ObjectIdentifier(viewer)])
        audience.wasRolledBack(viewer)
        #expect(audience.viewers.behind.map(ObjectIdentifier.init) == [ObjectIdentifier(viewer)])
        let before = broadcast.delivery.statistics
        broadcast.turn(after: 2)
        #expect(broadcast.delivery.statistics.since(before).units == 1)
        #expect(audience.viewers.behind.isEmpty)
    }
}
