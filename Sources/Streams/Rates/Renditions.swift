import Media
import RateControl

/// The renditions of a path between which viewers move: the policy `renditions`. They are the path itself and its substreams.
public struct Renditions: Sendable {
    /// A substream.
    public struct Substream: Sendable {
        public let stream: Stream
        /// As configured, with audio and headers; `nil` if it has the rate that it comes with.
        public let rate: DataRate?

        public init(_ stream: Stream, rate: DataRate?) {
            self.stream = stream
            self.rate = rate
        }
    }

    /// The rate of the path itself as configured, with audio and headers.
    private let own: DataRate
    private let substreams: [Substream]

    public init(own: DataRate, substreams: [Substream]) {
        self.own = own
        self.substreams = substreams
    }

    /// The ladder of the renditions, from the lowest rate to the path itself. Substreams with more than the path are left out, and so are
    /// those that are not encoded here and do not come.
    public func ladder(of stream: Stream) -> RenditionLadder {
        // A stream that is not encoded here has the rate that it comes with.
        let top = stream.hasEncoder ? own : stream.recentRate
        let lower = substreams.compactMap { substream in
            let comes = substream.rate != nil || substream.stream.announcement != nil
            return comes ? (stream: substream.stream, rate: substream.rate ?? substream.stream.recentRate) : nil
        }
        .filter { $0.rate < top }.sorted { $0.rate < $1.rate }
        return RenditionLadder(streams: lower.map(\.stream) + [stream], rates: lower.map(\.rate) + [top])
    }
}

/// The renditions of a path from the lowest rate to the highest. Never empty; the last one is the path itself.
public struct RenditionLadder: Sendable {
    public let streams: [Stream]
    public let rates: [DataRate]

    /// - Parameter rates: as many as streams, ascending.
    public init(streams: [Stream], rates: [DataRate]) {
        (self.streams, self.rates) = (streams, rates)
    }

    /// The limits of the estimates of what a viewer's path carries. Above the highest rate there is room to see that it fits.
    public var pathLimits: RateLimits {
        RateLimits(minimum: rates[0] * 0.5, maximum: rates[rates.count - 1] * 1.5)
    }

    /// The place of a stream; `nil` if it is none of the renditions.
    public func index(of stream: Stream) -> Int? { streams.firstIndex { $0 === stream } }
}

extension Stream {
    /// The renditions that its viewers may get instead; `nil` if they stay.
    public var renditions: Renditions? {
        get { state.withLock { $0.renditions } }
        set { state.withLock { $0.renditions = newValue } }
    }

    /// Whether its viewers' paths are measured, because its encoder follows them or because they move between renditions.
    public var measuresPaths: Bool { rates != nil || renditions != nil }
}
