import RTP
import Streams
import Synchronization

/// Publishes what is received for a stream, until another thread closes it. Thread-safe.
public final class StreamInput: Sendable {
    public let stream: Streams.Stream
    /// Held while something is published, so that nothing is published after ``close()``.
    private let isOpen = Mutex(true)

    public init(into stream: Streams.Stream) {
        self.stream = stream
    }

    public var isClosed: Bool { !isOpen.withLock(\.self) }

    /// Ends it: the stream gets nothing more once this has returned.
    public func close() {
        isOpen.withLock { $0 = false }
    }

    func pass(_ output: ReceivedStream.Output) {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            switch output {
            case .announce(let tracks): stream.announce(tracks)
            case .publish(let unit): stream.publish(unit)
            }
        }
    }
}
