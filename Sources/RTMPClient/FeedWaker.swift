import Streams

/// Wakes a loop for one follower of a feed. A feed knows each waker once, so followers that share a loop need one each.
final class FeedWaker: Waker {
    private let loop: any Waker

    init(_ loop: any Waker) {
        self.loop = loop
    }

    func wake() { loop.wake() }
}
