import Media
import Testing

@testable import RTSP
@testable import Server

/// One address has its share of the web server that decides, and no more.
struct CallbackQueueTests {
    private static func pending(
        from address: String, path: String = "cam", password: String = ""
    ) -> CallbackQueue.PendingRequest {
        let question = ExternalAuthorisationRequest(
            user: password.isEmpty ? "" : "ann", password: password, right: .read, path: path, query: "",
            address: address, security: .clear, userAgent: "")
        return CallbackQueue.PendingRequest(question: question, connection: "a", deadline: seconds(9), answer: { _ in })
    }

    private static func seconds(_ count: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(count * 1_000_000_000))
    }

    @Test func eachAddressMayHaveTwoRequests() {
        var queue = CallbackQueue(addressLimit: 2)
        let own = (0..<3).map { Self.pending(from: "192.0.2.7", path: "cam\($0)") }
        #expect(own.map { queue.add($0, at: Self.seconds(1)) } == [.start, .start, .tooManyOfAddress])
        let others = ["192.0.2.8", "2001:db8::7"].map { Self.pending(from: $0) }
        #expect(others.map { queue.add($0, at: Self.seconds(1)) } == [.start, .start])
        // All four threads are busy, and requests that wait count as well.
        #expect(queue.add(Self.pending(from: "192.0.2.9"), at: Self.seconds(1)) == .wait)
        #expect(queue.add(Self.pending(from: "192.0.2.9", path: "b"), at: Self.seconds(1)) == .wait)
        #expect(queue.add(Self.pending(from: "192.0.2.9", path: "c"), at: Self.seconds(1)) == .tooManyOfAddress)
        // An answered request no longer counts.
        #expect(queue.finished(own[0], .admitted, at: Self.seconds(1))?.question.address == "192.0.2.9")
        #expect(queue.add(own[2], at: Self.seconds(1)) == .wait)
    }

    @Test func addressesOfOneIPv6NetworkAreOneClient() {
        var queue = CallbackQueue(addressLimit: 2)
        let addresses = [
            "2001:db8::7", "2001:db8::ffff:8", "2001:db8::9", "2001:db8:0:1::7", "::ffff:192.0.2.7", "192.0.2.7",
        ]
        let results = addresses.map { queue.add(Self.pending(from: $0), at: Self.seconds(1)) }
        #expect(results == [.start, .start, .tooManyOfAddress, .start, .start, .wait])
    }

    @Test func aRefusalIsReusedForASecondAndForTheSameRequestOnly() {
        var queue = CallbackQueue(addressLimit: 2)
        let pending = Self.pending(from: "192.0.2.7", password: "guess")
        #expect(queue.add(pending, at: Self.seconds(1)) == .start)
        #expect(queue.finished(pending, .refused, at: Self.seconds(1)) == nil)
        #expect(queue.add(pending, at: Self.seconds(1.99)) == .refused)
        for other in [
            Self.pending(from: "192.0.2.8", password: "guess"), Self.pending(from: "192.0.2.7", password: "sesame"),
            Self.pending(from: "192.0.2.7", path: "yard", password: "guess"),
        ] {
            #expect(queue.add(other, at: Self.seconds(1.99)) == .start)
            #expect(queue.finished(other, .admitted, at: Self.seconds(1.99)) == nil)
            #expect(queue.add(other, at: Self.seconds(1.99)) == .start, "what was admitted is not remembered here")
            _ = queue.finished(other, .unavailable, at: Self.seconds(1.99))
            #expect(queue.add(other, at: Self.seconds(1.99)) == .start, "a missing answer is not stored either")
            _ = queue.finished(other, .admitted, at: Self.seconds(1.99))
        }
        #expect(queue.add(pending, at: Self.seconds(2)) == .start)
    }

    @Test func theNumberOfStoredRefusalsIsLimited() {
        var queue = CallbackQueue(addressLimit: 2)
        let inquiries = (0...CallbackQueue.refusalLimit).map { Self.pending(from: "192.0.2.7", path: "a\($0)") }
        for pending in inquiries {
            #expect(queue.add(pending, at: Self.seconds(1)) == .start)
            _ = queue.finished(pending, .refused, at: Self.seconds(1))
        }
        #expect(queue.refusalCount == 1)
        #expect(queue.add(inquiries[0], at: Self.seconds(1)) == .start)
    }

    @Test func waitingRequestsAreSentInOrderAndLimitedInNumber() {
        var queue = CallbackQueue(addressLimit: 2)
        let inquiries = (0..<69).map { Self.pending(from: "192.0.2.\($0)") }
        let results = inquiries.map { queue.add($0, at: Self.seconds(1)) }
        #expect(
            results == Array(repeating: .start, count: 4) + Array(repeating: .wait, count: 64) + [.tooMany])
        for number in 4..<68 {
            #expect(
                queue.finished(inquiries[number - 4], .admitted, at: Self.seconds(1))?.question.address
                    == "192.0.2.\(number)")
        }
        for number in 64..<68 { #expect(queue.finished(inquiries[number], .admitted, at: Self.seconds(1)) == nil) }
        #expect(queue.add(inquiries[68], at: Self.seconds(1)) == .start)
    }
}
