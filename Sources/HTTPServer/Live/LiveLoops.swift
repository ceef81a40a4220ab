import Media
import NIOCore
import Streams
import Synchronization

/// The live viewers of all event loops. Thread-safe.
final class LiveLoops: Sendable {
    private let loops = Mutex<[ObjectIdentifier: (loop: any EventLoop, viewers: NIOLoopBound<LiveLoop>)]>([:])

    /// The viewers of an event loop, on which this is called.
    func viewers(on loop: any EventLoop, of context: ServerContext) -> LiveLoop {
        let id = ObjectIdentifier(loop)
        if let existing = loops.withLock({ $0[id]?.viewers }) { return existing.value }
        let fresh = NIOLoopBound(LiveLoop(loop, context), eventLoop: loop)
        loops.withLock { $0[id] = (loop, fresh) }
        return fresh.value
    }

    /// Asks the viewers of each event loop. A loop that has ended is left out.
    @discardableResult
    func ask<Answer: Sendable>(_ question: @escaping @Sendable (LiveLoop) -> Answer) async -> [Answer] {
        var answers: [Answer] = []
        for (loop, viewers) in loops.withLock({ Array($0.values) }) {
            if let answer = try? await loop.submit({ question(viewers.value) }).get() { answers.append(answer) }
        }
        return answers
    }
}
