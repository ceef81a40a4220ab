import Testing

@testable import Measuring

@Suite struct AccessUnitTrackerTests {
    typealias Placement = LossTracker.Placement
    typealias Packet = (placement: Placement, timestamp: UInt32, isMarked: Bool, isKeyframe: Bool)

    static func run(_ packets: [Packet]) -> (tracker: AccessUnitTracker, whole: [AccessUnitTracker.Completion]) {
        var tracker = AccessUnitTracker()
        let whole = packets.compactMap {
            tracker.received($0.placement, timestamp: $0.timestamp, isMarked: $0.isMarked, isKeyframe: $0.isKeyframe)
        }
        return (tracker, whole)
    }

    @Test func aUnitEndsWithItsMarker() {
        let (tracker, whole) = Self.run([(.next, 1, false, true), (.next, 1, true, false), (.next, 2, true, false)])
        #expect(whole == [.init(timestamp: 1, isKeyframe: true), .init(timestamp: 2, isKeyframe: false)])
        #expect(tracker.broken == 0)
    }

    @Test func aGapBreaksTheCurrentUnit() {
        let (tracker, whole) = Self.run([
            (.next, 1, false, true), (.afterGap(missing: 1), 1, true, false), (.next, 2, true, false),
        ])
        #expect(whole.map(\.timestamp) == [2])
        #expect(tracker.broken == 1)
    }

    @Test func aLostMarkerBreaksBothUnits() {
        let (tracker, whole) = Self.run([
            (.next, 1, false, true), (.afterGap(missing: 2), 2, true, false), (.next, 3, true, false),
        ])
        #expect(whole.map(\.timestamp) == [3])
        #expect(tracker.broken == 2)
    }

    @Test func lateAndDuplicatePacketsDoNotFormUnits() {
        let (tracker, whole) = Self.run([(.next, 1, true, false), (.late, 0, true, true), (.duplicate, 1, true, false)])
        #expect(whole.count == 1)
        #expect(tracker.broken == 0)
    }

    @Test func aUnitWithoutMarkerIsBroken() {
        let (tracker, whole) = Self.run([(.next, 1, false, false), (.next, 2, true, false)])
        #expect(whole.map(\.timestamp) == [2])
        #expect(tracker.broken == 1)
    }
}
