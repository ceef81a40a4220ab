import Foundation
import Media
import Synchronization
import TestSupport
import Testing

@testable import Streams

/// Events of a server and their bounded queues.
struct EventBusTests {
    private let bus = EventBus(run: "r", now: { 1_763_717_287_006_250_999 })

    private final class Bell: Waker {
        let count = Atomic(0)
        func wake() { count.add(1, ordering: .relaxed) }
    }

    @Test func publishingBeforeTheFirstSubscriberDoesNotEvenMakeTheEvent() throws {
        var made = 0
        func publish() {
            bus.publish("/cam") {
                made += 1
                return .pathAdded
            }
        }
        publish()
        #expect(made == 0)
        let subscription = try #require(bus.subscribe())
        publish()
        #expect(made == 1 && subscription.take().events.map(\.number) == [1])
    }

    @Test func aSubscriberThatComesBackGetsWhatItHasMissed() throws {
        var subscription = try #require(bus.subscribe())
        #expect(subscription.position == "r-0" && subscription.gap == .empty)
        for path in ["/cam", "/yard", "/cam"] { bus.publish(path) { .sourceUp } }
        let last = try #require(subscription.take(atMost: 1).events.last)
        subscription = try #require(bus.subscribe(after: last.id) { $0.path == "/cam" })
        bus.publish("/cam") { .pathRemoved }
        #expect(subscription.take().events.map(\.number) == [3, 4] && subscription.gap == .empty)
        subscription = try #require(bus.subscribe(after: "r-4"))
        #expect(subscription.take().events.isEmpty && subscription.gap == .empty)
        #expect(subscription.position == "r-4")
    }

    @Test func aSubscriberLearnsWhichEventsAreNoLongerKept() throws {
        let first = try #require(bus.subscribe())
        let kept = EventBus.historyCapacity
        for _ in 0..<(kept + 10) { bus.publish("/cam") { .sourceUp } }
        let numbers = { (id: String) in
            let subscription = try #require(bus.subscribe(after: id, capacity: kept))
            return (subscription.gap, subscription.take().events.first?.number)
        }
        #expect(try numbers("r-10") == (.empty, 11))
        #expect(try numbers("r-9") == (.events(1), 11))
        #expect(try numbers("r-0") == (.events(10), 11))
        for other in ["q-5", "r-267", "r--1", "r-", "", "r-5x", "é"] {
            #expect(try numbers(other) == (.unknown, 11), "\(other)")
        }
        #expect(first.take().droppedCount == 10)
    }

    @Test func aFullQueueDropsItsOldestEventsAndCountsThem() throws {
        let subscription = try #require(bus.subscribe(capacity: 3))
        for _ in 0..<5 { bus.publish("/cam") { .sourceUp } }
        #expect(subscription.waitingCount == 3)
        var (events, dropped) = subscription.take(atMost: 2)
        #expect(events.map(\.number) == [3, 4] && dropped == 2)
        (events, dropped) = subscription.take()
        #expect(events.map(\.number) == [5] && dropped == 0)
        (events, dropped) = subscription.take()
        #expect(events.isEmpty && dropped == 0)
    }

    @Test func aSubscriberIsWokenForWhatItWants() throws {
        let (bell, other) = (Bell(), Bell())
        let cam = try #require(bus.subscribe(waking: bell) { $0.path == "/cam" })
        let ups = try #require(bus.subscribe(waking: other) { $0.kind == .sourceUp })
        bus.publish("/cam") { .sourceUp }
        bus.publish("/cam") { .sourceDown(reason: "unplugged") }
        bus.publish("/yard") { .sourceUp }
        bus.publish("/yard") { .pathRemoved }
        #expect(bell.count.load(ordering: .relaxed) == 2 && other.count.load(ordering: .relaxed) == 2)
        #expect(cam.take().events.map(\.number) == [1, 2] && ups.take().events.map(\.number) == [1, 3])
    }

    @Test func theNumberOfSubscriptionsIsBounded() {
        var all = (0..<EventBus.maximumSubscriptions).map { _ in bus.subscribe() }
        #expect(all.allSatisfy { $0 != nil } && bus.subscribe() == nil)
        all.removeLast()
        #expect(bus.subscribe() != nil)
    }

    @Test func allSubscribersGetAllEventsOfSeveralThreadsInOneOrder() async throws {
        let subscriptions = try (0..<3).map { _ in try #require(bus.subscribe(capacity: 10_000)) }
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask { [bus] in for _ in 0..<500 { bus.publish("/\(thread)") { .sourceUp } } }
            }
        }
        let events = subscriptions.map { $0.take().events }
        #expect(events[0].map(\.number) == Array(1...2000))
        #expect(events[1] == events[0] && events[2] == events[0])
    }

    // MARK: - Streams

    @Test func aSourceIsUpWithItsFirstUnitAndDownWhenItEnds() throws {
        let subscription = try #require(bus.subscribe())
        let epoch = MonotonicTime(nanoseconds: 0)
        let clock = StreamClock(epoch: epoch) { ClockReading(monotonic: epoch, unixNanoseconds: 0) }
        let stream = Stream(path: "/cam", clock: clock, events: bus)
        stream.announce([.video])
        stream.publish(.frame(0))
        #expect(subscription.take().events.isEmpty, "frames before a keyframe are dropped")
        #expect(!stream.sourceEnded(because: "unplugged"))
        for milliseconds: Int64 in [10, 20, 30] { stream.publish(.frame(milliseconds, idr: milliseconds == 10)) }
        #expect(subscription.take().events.map(\.occurrence) == [.sourceUp])
        stream.announce([.video])
        stream.publish(.frame(40, idr: true))
        #expect(subscription.take().events.isEmpty, "the same source with other parameters")
        #expect(stream.sourceEnded(because: "unplugged") && !stream.sourceEnded(because: "again"))
        stream.publish(.frame(50, idr: true))
        #expect(
            subscription.take().events.map(\.occurrence) == [.sourceDown(reason: "unplugged"), .sourceUp])
    }

    // MARK: - JSON

    @Test func anEventIsOneFlatObject() throws {
        let subscription = try #require(bus.subscribe())
        let client = StreamEvent.Client(peer: "[::1]:7", name: "VLC \"3\"\n", transport: "UDP", user: "ann")
        let anonymous = StreamEvent.Client(peer: "192.0.2.7:7", name: nil, transport: "TCP")
        let occurrences: [StreamEvent.Occurrence] = [
            .pathAdded, .settingsChanged(["title"]), .sourceDown(reason: "gone"),
            .viewerLeft(client, reason: "TEARDOWN"), .publisherJoined(anonymous),
        ]
        for occurrence in occurrences { bus.publish("/cam") { occurrence } }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let texts = try subscription.take().events.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        let time = "\"time\":1763717287006.25"
        #expect(
            texts == [
                "{\"id\":\"r-1\",\"kind\":\"path-added\",\"number\":1,\"path\":\"/cam\",\"text\":\"/cam is served now\",\(time)}",
                "{\"id\":\"r-2\",\"kind\":\"settings-changed\",\"number\":2,\"path\":\"/cam\",\"settings\":[\"title\"],"
                    + "\"text\":\"settings of /cam have changed: title\",\(time)}",
                "{\"id\":\"r-3\",\"kind\":\"source-down\",\"number\":3,\"path\":\"/cam\",\"reason\":\"gone\","
                    + "\"text\":\"the source of /cam is down: gone\",\(time)}",
                "{\"client\":\"VLC \\\"3\\\"\\n\",\"id\":\"r-4\",\"kind\":\"viewer-left\",\"number\":4,\"path\":\"/cam\",\"peer\":\"[::1]:7\","
                    + "\"reason\":\"TEARDOWN\",\"text\":\"ann at [::1]:7 no longer watches /cam: TEARDOWN\",\(time),"
                    + "\"transport\":\"UDP\",\"user\":\"ann\"}",
                "{\"id\":\"r-5\",\"kind\":\"publisher-joined\",\"number\":5,\"path\":\"/cam\",\"peer\":\"192.0.2.7:7\","
                    + "\"text\":\"192.0.2.7:7 publishes /cam over TCP\",\(time),\"transport\":\"TCP\"}",
            ])
    }

    @Test func everyOccurrenceHasAKindOfItsOwn() {
        let client = StreamEvent.Client(peer: "", name: nil, transport: "")
        let all: [StreamEvent.Occurrence] = [
            .pathAdded, .pathRemoved, .settingsChanged([]), .sourceUp, .sourceDown(reason: ""),
            .sourceFailed(reason: ""),
            .publisherJoined(client), .publisherLeft(client, reason: ""), .viewerJoined(client),
            .viewerLeft(client, reason: ""),
        ]
        let kinds = all.map {
            StreamEvent(id: "", number: 0, unixNanoseconds: 0, path: "", occurrence: $0).kind
        }
        #expect(kinds == StreamEvent.Kind.allCases)
    }
}
