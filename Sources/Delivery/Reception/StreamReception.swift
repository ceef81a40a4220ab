import Media
import RTP

/// The reception of a stream that a peer sends: makes access units of its packets, publishes them, and notices when no media comes
/// any more. Confined to one loop.
public struct StreamReception {
    /// A peer that sends no media for this many seconds is considered gone: Frigate and MediaMTX wait as long or longer.
    public static let silenceSeconds = 10

    private let input: StreamInput
    private var received: ReceivedStream
    /// When media came last, or was first expected; `nil` before ``began(at:)``.
    private var lastMedia: MonotonicTime?
    private var silenceNanoseconds = Int64(silenceSeconds) * 1_000_000_000

    /// - Parameter formats: the clock rate and format of each track, in the order of their numbers.
    public init(_ formats: [(ClockRate, ReceivedStream.Format)], into input: StreamInput) {
        self.input = input
        received = ReceivedStream(formats, epoch: input.stream.epoch)
        input.begin(formats.map(\.1))
    }

    /// When to call ``deadlinePassed(at:)``.
    public var nextDeadline: MonotonicTime { min(received.nextDeadline, silenceDeadline) }

    private var silenceDeadline: MonotonicTime {
        lastMedia.map { MonotonicTime(nanoseconds: $0.nanoseconds &+ silenceNanoseconds) } ?? .distantFuture
    }

    /// The peer begins to send media.
    public mutating func began(at now: MonotonicTime) {
        lastMedia = now
    }

    /// The peer has said that it sends no more. Packets that its last report has overtaken may still come.
    public mutating func peerSaidGoodbye(at now: MonotonicTime) {
        silenceNanoseconds = 1_000_000_000
        lastMedia = lastMedia.map { max($0, now) }
    }

    public mutating func received(_ payload: RawSpan, header: Header, track: Int, arrival: MonotonicTime) {
        lastMedia = max(lastMedia ?? arrival, arrival)
        received.received(payload, header: header, track: track, arrival: arrival)
        passOn()
    }

    public mutating func received(_ report: SenderReport, track: Int, arrival: MonotonicTime) {
        received.received(report, track: track, arrival: arrival)
    }

    /// - Returns: whether the peer is considered gone.
    public mutating func deadlinePassed(at now: MonotonicTime) -> Bool {
        if silenceDeadline <= now { return true }
        received.deadlinePassed(at: now)
        passOn()
        return false
    }

    private mutating func passOn() {
        while let output = received.next() { input.pass(output) }
    }
}
