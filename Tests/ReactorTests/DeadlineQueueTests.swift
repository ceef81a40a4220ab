import Media
import TestSupport
import Testing

@testable import Reactor

@Suite struct DeadlineQueueTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(byMilliseconds: milliseconds)
    }

    @Test func anEmptyQueueHasNoDueKey() {
        var queue = DeadlineQueue<Int>()
        #expect(queue.next == .distantFuture)
        #expect(queue.popDue(at: .distantFuture) == nil)
    }

    @Test func aKeyIsDueAtItsDeadlineAndNotBefore() {
        var queue = DeadlineQueue<Int>()
        queue.set(7, at(5))
        #expect(queue.popDue(at: at(5) + -1) == nil)
        #expect(queue.popDue(at: at(5)) == 7)
        #expect(queue.isEmpty)
    }

    @Test func settingAKeyAgainReplacesItsDeadline() {
        var queue = DeadlineQueue<String>()
        queue.set("a", at(10))
        queue.set("b", at(20))
        queue.set("b", at(5))
        #expect(queue.popDue(at: at(100)) == "b")
        queue.set("c", at(20))
        queue.set("a", at(30))
        #expect(queue.deadline(of: "a") == at(30))
        #expect(queue.popDue(at: at(100)) == "c")
        #expect(queue.count == 1)
    }

    @Test(arguments: [1, 2, 3, 4]) func theQueueAgreesWithASortedListInRandomUse(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = DeadlineQueue<Int>()
        var model: [Int: MonotonicTime] = [:]
        for _ in 0..<5_000 {
            let key = Int.random(in: 0..<60, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                queue.remove(key)
                model[key] = nil
            case 1:
                let now = at(Int64.random(in: 0..<200, using: &random))
                let earliest = model.values.min() ?? .distantFuture
                let popped = queue.popDue(at: now)
                #expect((popped != nil) == (earliest <= now))
                if let popped { #expect(model.removeValue(forKey: popped) == earliest) }
            default:
                let deadline = at(Int64.random(in: 0..<1_000, using: &random))
                queue.set(key, deadline)
                model[key] = deadline
            }
            #expect(queue.next == model.values.min() ?? .distantFuture)
            #expect(queue.count == model.count)
        }
    }
}
