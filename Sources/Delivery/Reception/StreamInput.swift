import RTP
import Streams
import Synchronization

/// Publishes what is received for a stream, until another thread closes it. Thread-safe.
public final class StreamInput: Sendable {
    public let stream: Streams.Stream
    /// Whether the sender's time of day is believed.
    public let trust: SenderClockTrust
    /// Held while something is published, so that nothing is published after ``close()``.
    private let isOpen = Mutex(true)
    private let latestStatus = Mutex<ReceptionStatus?>(nil)

    public init(into stream: Streams.Stream, trust: SenderClockTrust) {
        (self.stream, self.trust) = (stream, trust)
    }

    public var isClosed: Bool { !isOpen.withLock(\.self) }

    /// Ends it: the stream gets nothing more once this has returned.
    public func close() {
        isOpen.withLock { $0 = false }
    }

    /// What was received up to a second ago; `nil` in the first second.
    public internal(set) var status: ReceptionStatus? {
        get { latestStatus.withLock(\.self) }
        set { latestStatus.withLock { $0 = newValue } }
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
