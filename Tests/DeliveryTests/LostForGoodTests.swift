import Media
import RTP
import Streams
import Testing

@testable import Delivery

/// If a packet that a client asks for cannot reach it any more, the encoder sends a keyframe.
@Suite(.serialized)
struct LostForGoodTests {
    /// A viewer that has received a keyframe and some frames, of one packet each.
    private struct Playing: ~Copyable {
        let broadcast = Broadcast()
        let source = CountingSource()
        let client: UDPClient

        init(_ rules: RetransmissionRules, frameCount: Int) throws {
            client = try UDPClient(usesGSO: true, repair: TrackRepair(rules))
            broadcast.stream.attach(source)
            broadcast.publish(idr: true, byteCount: 500)
            #expect(broadcast.start(client.viewer))
            for _ in 0..<frameCount {
                broadcast.publish(byteCount: 500)
                broadcast.turn(after: 40)
            }
        }

        /// Asks for the packets with these numbers from the end, 1 for the newest.
        func ask(forLast numbers: [Int]) throws {
            try broadcast.receivedRequest(forLast: numbers, of: client.viewer)
            broadcast.turn()
        }

        var requestCount: Int { source.requestCount }
    }

    @Test func aPacketThatWasSentTooLongAgoIsReplacedByAKeyframe() throws {
        let playing = try Playing(.browser, frameCount: 40)
        try playing.ask(forLast: [3, 4])
        #expect(playing.requestCount == 0)
        try playing.ask(forLast: [28, 29])
        #expect(playing.requestCount == 1)
        // Others are healed by the same keyframe.
        try playing.ask(forLast: [30])
        playing.broadcast.publish(idr: true, byteCount: 500)
        playing.broadcast.turn(after: 1_100)
        try playing.ask(forLast: [31])
        #expect(playing.requestCount == 1)
    }

    @Test func aPacketThatIsForgottenIsReplacedByAKeyframe() throws {
        let playing = try Playing(.browser, frameCount: 100)
        try playing.ask(forLast: [99])
        #expect(playing.requestCount == 1)
    }

    @Test func aPacketBeyondTheBudgetIsReplacedByAKeyframe() throws {
        let playing = try Playing(.browser, frameCount: 20)
        for _ in 0..<30 {
            try playing.ask(forLast: Array(1...16))
            playing.broadcast.turn(after: 21)
        }
        #expect(playing.client.viewer.repair?.counts.overBudget ?? 0 > 0)
        #expect(playing.requestCount == 1)
    }

    @Test func aPacketThatWasLostThreeTimesIsReplacedByAKeyframe() throws {
        let playing = try Playing(.browser, frameCount: 20)
        for count in [0, 0, 1] {
            try playing.ask(forLast: [2])
            #expect(playing.requestCount == count)
            playing.broadcast.turn(after: 25)
        }
    }

    @Test func packetsThatWereNeverSentOrAreOnlyLateCostNothing() throws {
        let browser = try Playing(.browser, frameCount: 40)
        try browser.ask(forLast: [0, -5, 200, 10_000])
        #expect(browser.requestCount == 0)
        let gStreamer = try Playing(.gStreamer, frameCount: 40)
        try gStreamer.ask(forLast: [29])
        #expect(gStreamer.requestCount == 0 && gStreamer.client.viewer.repair?.counts.tooLate == 1)
    }
}
