import Media
import RateControl
import Streams

/// Estimates what the network carries to each receiver of one feed, and reports it to the stream, so that its encoder can follow: for
/// protocols whose receivers are no ``Viewer``s. Confined to the thread that sends.
public struct PathObserver {
    private let stream: Streams.Stream
    /// Names the receivers among all of the stream.
    private let name: ObjectIdentifier
    private var estimates = ViewerRates()
    /// The time at which to observe again.
    public private(set) var nextCheck = MonotonicTime(nanoseconds: .min / 2)

    /// The time between two estimates, in nanoseconds.
    private static let interval: Int64 = 50_000_000
    /// The time between two looks whether the encoder follows its viewers, in nanoseconds.
    private static let idleInterval: Int64 = 500_000_000

    /// - Parameters:
    ///   - stream: the stream of the path, also if the receivers get another one in which tracks are encoded again.
    ///   - owner: lives as long as the observer.
    public init(of stream: Streams.Stream, owner: AnyObject) {
        (self.stream, name) = (stream, ObjectIdentifier(owner))
    }

    /// Estimates what the paths carry, if that is due.
    ///
    /// - Parameters:
    ///   - estimate: what the path to a receiver carries, within limits.
    ///   - forget: called for each receiver while the encoder follows none.
    public mutating func observe<Receivers: Collection>(
        _ receivers: Receivers, at now: MonotonicTime, estimate: (Receivers.Element, RateLimits) -> PathEstimate,
        forget: (Receivers.Element) -> Void
    ) {
        guard nextCheck <= now else { return }
        // The encoder may begin to follow its viewers at any time.
        guard let limits = stream.rates?.pathLimits, !receivers.isEmpty else {
            for receiver in receivers { forget(receiver) }
            nextCheck = now + Self.idleInterval
            return
        }
        nextCheck = now + Self.interval
        estimates.removeAll()
        for receiver in receivers { estimates.add(estimate(receiver, limits)) }
        stream.update(estimates, of: name, at: now)
    }

    /// The receivers have gone.
    public func end() { stream.removeRates(of: name) }
}
