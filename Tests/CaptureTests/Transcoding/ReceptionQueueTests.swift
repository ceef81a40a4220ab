import Media
import Testing

@testable import Capture

@Suite struct ReceptionQueueTests {
    private let tracks = [Track(id: TrackID(1), format: .opus(channelCount: 2))]

    private func unit(_ track: Int, _ ticks: Int64, isKeyframe: Bool = true, byteCount: Int = 1) -> ReceptionQueue.Order
    {
        let time = MediaTime(ticks: ticks, rate: .video)
        return .publish(
            AccessUnit(
                track: TrackID(track), presentationTime: time, decodeTime: time, isKeyframe: isKeyframe,
                bytes: [UInt8](repeating: 0, count: byteCount), units: [0..<byteCount]))
    }

    /// The orders as texts.
    private func story(_ queue: inout ReceptionQueue) -> [String] {
        var story: [String] = []
        while let order = queue.next() {
            switch order {
            case .announce(let tracks): story.append("announce \(tracks.count)")
            case .publish(let unit): story.append("\(unit.track.index):\(unit.presentationTime.ticks)")
            }
        }
        return story
    }

    @Test func ordersLeaveAsTheyCame() {
        var queue = ReceptionQueue(transcoding: [TrackID(0): .audio(.g722)])
        queue.append(.announce(tracks))
        for ticks in 0..<100 as Range<Int64> {
            queue.append(unit(0, ticks))
            queue.append(unit(1, ticks, isKeyframe: false))
        }
        let expected = ["announce 1"] + (0..<100).flatMap { ["0:\($0)", "1:\($0)"] }
        #expect(story(&queue) == expected)
        #expect(queue.takeDropCount() == 0)
    }

    @Test func onlyTheNewestPicturesWait() {
        var queue = ReceptionQueue(transcoding: [TrackID(0): .motionJPEG(size: nil)])
        for ticks in 0..<10 as Range<Int64> {
            queue.append(unit(0, ticks))
            queue.append(unit(1, ticks))
        }
        let story = story(&queue)
        #expect(story.filter { $0.hasPrefix("0:") } == ["0:7", "0:8", "0:9"])
        #expect(story.filter { $0.hasPrefix("1:") }.count == 10)
        #expect(queue.takeDropCount() == 7)
    }

    @Test(arguments: [1, 100_000])
    func aFullQueueKeepsItsAnnouncementAndContinuesAtAKeyframe(byteCount: Int) {
        var queue = ReceptionQueue(transcoding: [TrackID(0): .audio(.g722)])
        queue.append(.announce(tracks))
        queue.append(unit(1, -1))
        for ticks in 0..<1_000 as Range<Int64> { queue.append(unit(0, ticks, byteCount: byteCount)) }
        for ticks in 0..<3 as Range<Int64> { queue.append(unit(1, ticks, isKeyframe: ticks == 2)) }
        let story = story(&queue)
        #expect(story.first == "announce 1")
        #expect(story.last == "1:2")
        #expect(story.contains("0:999"))
        #expect(!story.contains("1:1"))
        #expect(story.count <= ReceptionQueue.orderLimit + 1)
        #expect(queue.takeDropCount() + story.count - 1 == 1_004)
        #expect(queue.takeDropCount() == 0)
    }
}
