import Media
import TestSupport
import Testing

@testable import Streams

/// Properties of followers in virtual time, with outputs that are not RTP.
struct FollowerTests {
    /// A part of an access unit that a transport takes in four steps.
    private struct Fragment: PackagedUnit {
        let number: Int
        let track: TrackID
        let presentationTime: MediaTime
        let isKeyframe: Bool
        let byteCount = 100
        let part = AccessUnit.Part.whole
        static let stepCount = 4
    }

    /// A transport that takes as many steps as the test allows, and whose peer may not have read everything.
    private struct Pipe: FollowerTransport {
        var room = 0
        var unread = 0
        var lastProgress: MonotonicTime? { nil }
        func unreadByteCount(at now: MonotonicTime) -> Int { unread }
        func isDrained(at now: MonotonicTime) -> Bool { unread == 0 }
    }

    /// A feed with video at 25 frames/s and its audio, a follower and its transport.
    private struct Scene {
        static let keyframeInterval = 25
        let view = FeedView<Fragment>()
        var ring = Ring<Fragment>(bounds: .init(nanoseconds: 3_000_000_000))
        var follower: Follower<Fragment>
        var pipe = Pipe()
        var now = MonotonicTime(nanoseconds: 1_000_000_000)
        var policy = SlowViewerPolicy()
        var sent: [Fragment] = []
        var keyframeRequests = 0
        /// The greatest lag of an output when it began to be sent.
        var longestLag: Int64 = 0
        var isDisconnected = false
        private var number = 0

        init() {
            follower = Follower(at: now)
            follower.join(at: 0, fastStart: [], at: now)
        }

        /// Publishes the next frame, 40 ms after the last, and its audio.
        mutating func publish(isKeyframe: Bool? = nil) {
            now = now.advanced(byMilliseconds: 40)
            let time = MediaTime(ticks: Int64(number) * 3_600, rate: .video)
            for track in 0..<2 {
                let isVideo = track == 0
                let fragment = Fragment(
                    number: 2 * number + track, track: TrackID(track), presentationTime: time,
                    isKeyframe: isVideo ? isKeyframe ?? (number % Self.keyframeInterval == 0) : true)
                ring.append(fragment, nanoseconds: time.nanoseconds, byteCount: fragment.byteCount)
            }
            number += 1
            view.reader.update(from: ring, hasEnded: false)
        }

        /// Sends what the transport takes.
        mutating func serve() {
            let leading = TrackID(0)
            while !isDisconnected {
                var wantsKeyframe = false
                let verdict =
                    follower.keepsUp(in: view)
                    ? .send
                    : follower.verdict(
                        in: view, leading: leading, policy: policy, transport: pipe, wantsKeyframe: &wantsKeyframe,
                        at: now)
                if wantsKeyframe { keyframeRequests += 1 }
                if verdict == .disconnect { isDisconnected = true }
                guard verdict == .send, let output = follower.next(in: view) else { break }
                if follower.passes(output, leading: leading) {
                    if output.track == leading, follower.isAwaitingKeyframe { follower.resumed() }
                    guard send(output) else { return follower.blocked(at: now) }
                }
                follower.advance()
            }
            _ = follower.settle(in: view)
        }

        private mutating func send(_ output: Fragment) -> Bool {
            while follower.position.offset < Fragment.stepCount {
                guard pipe.room > 0 else { return false }
                pipe.room -= 1
                if follower.position.offset == 0 {
                    sent.append(output)
                    let newest = view.reader[view.endIndex - 1].presentationTime.nanoseconds
                    longestLag = max(longestLag, newest - output.presentationTime.nanoseconds)
                }
                follower.took(upTo: follower.position.offset + 1, at: now)
            }
            return true
        }
    }

    @Test func aFollowerThatKeepsUpGetsEverythingAndIsNeverSkipped() {
        var scene = Scene()
        for _ in 0..<200 {
            scene.pipe.room = 100
            scene.publish()
            scene.serve()
            #expect(scene.follower.isCaughtUp(in: scene.view) && scene.follower.backlog == .none)
        }
        #expect(scene.sent.map(\.number) == Array(0..<400))
        #expect(scene.follower.droppedUnits == 0 && scene.keyframeRequests == 0)
    }

    @Test func itStartsAtAKeyframeWhileItsAudioStartsAtOnce() {
        var scene = Scene()
        for index in 0..<10 {
            scene.pipe.room = 100
            scene.publish(isKeyframe: index == 5)
            scene.serve()
        }
        let video = scene.sent.filter { $0.track == TrackID(0) }
        #expect(video.first?.number == 10 && video.count == 5)
        #expect(scene.sent.filter { $0.track == TrackID(1) }.count == 10)
    }

    /// Whatever the transport takes, and whenever: positions only rise; outputs are whole and in order; after a gap the video
    /// continues at a keyframe; nothing is late by more than the policy allows when it begins to be sent.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func whateverTheTransportTakesOutputsAreWholeAndInOrder(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var scene = Scene()
        var last = scene.follower.position
        for _ in 0..<400 where !scene.isDisconnected {
            scene.pipe.room = numbers.next() % 3 == 0 ? 0 : Int(numbers.next() % 24)
            scene.pipe.unread = numbers.next() % 8 == 0 ? 50 : 0
            scene.publish()
            scene.serve()
            let position = scene.follower.position
            #expect(position.index > last.index || position.index == last.index && position.offset >= last.offset)
            last = position
        }
        #expect(scene.longestLag <= scene.policy.maximumLag)
        let video = scene.sent.filter { $0.track == TrackID(0) }
        #expect(video.first?.isKeyframe == true)
        for (one, next) in zip(video, video.dropFirst()) {
            #expect(next.number == one.number + 2 || next.isKeyframe && next.number > one.number)
        }
        #expect(zip(scene.sent, scene.sent.dropFirst()).allSatisfy { $0.number < $1.number })
    }

    @Test func aTransportThatHasNotDrainedGetsNothing() {
        var scene = Scene()
        scene.pipe.room = 8
        scene.publish()
        scene.serve()
        scene.pipe.unread = 1
        for _ in 0..<20 {
            scene.publish(isKeyframe: false)
            scene.serve()
        }
        scene.pipe.room = 1_000
        scene.serve()
        scene.publish(isKeyframe: true)
        scene.serve()
        #expect(scene.sent.count == 2 && scene.follower.isDraining)
        scene.pipe.unread = 0
        scene.serve()
        #expect(scene.sent.dropFirst(2).first?.isKeyframe == true && !scene.follower.isDraining)
    }

    @Test func aFollowerThatTakesNothingIsDisconnectedAfterTheMaximumStall() {
        var scene = Scene()
        scene.pipe.unread = 1
        var count = 0
        while !scene.isDisconnected, count < 1_000 {
            scene.publish()
            scene.serve()
            count += 1
        }
        // Since the first frame: 10 s at 25 frames/s.
        #expect(count == 251)
    }

    @Test func aFollowerThatFallsBehindAgainAndAgainRequestsAKeyframeEveryTenSecondsAtMost() {
        var scene = Scene()
        for index in 0..<1_000 {
            scene.pipe.room = index % 25 == 0 ? 40 : 0
            scene.publish(isKeyframe: index == 0)
            scene.serve()
        }
        #expect((2...4).contains(scene.keyframeRequests))
    }

    @Test func rollingBackRestoresTheStateBefore() {
        var scene = Scene()
        scene.publish()
        let before = scene.follower.checkpoint
        scene.pipe.room = 100
        scene.serve()
        scene.follower.rollBack(to: before)
        #expect(scene.follower.checkpoint == before && scene.follower.isAwaitingKeyframe)
        #expect(scene.follower.next(in: scene.view)?.number == 0)
    }

    @Test func theFastStartComesFirstAndItsSkipKeepsItsMemory() {
        var scene = Scene()
        for _ in 0..<30 { scene.publish() }
        let history = (50..<60).map { scene.view.reader[Int64($0)] }
        scene.follower.join(at: 60, fastStart: history, at: scene.now)
        scene.pipe.room = 20
        scene.serve()
        #expect(scene.sent.map(\.number) == Array(50..<55) && scene.follower.isInFastStart)
        for _ in 0..<20 { scene.publish() }
        scene.pipe.room = 0
        scene.serve()
        #expect(!scene.follower.isInFastStart && scene.follower.fastStart.count == 10)
        scene.follower.releaseFastStart()
        #expect(scene.follower.fastStart.isEmpty)
    }
}
