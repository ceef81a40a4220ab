import Media
import RateControl
import Synchronization

/// What the viewers of a stream can receive, and what its encoder makes of that: the policy `follow`. Thread-safe.
///
/// The viewers are in audiences on several event loops. Each audience reports the estimates of its viewers 20 to 40 times a second. If the
/// bitrate, the frame rate or the size changes, the source gets an order.
public final class StreamRates: Sendable {
    private struct State: ~Copyable {
        var rate: EncoderRate
        var settings: EncoderRate.Settings
        var audiences: [ObjectIdentifier: ViewerRates] = [:]
        var all = ViewerRates()
    }

    /// What the encoder makes, and why.
    public struct Decision: Hashable, Sendable {
        public let order: EncoderOrder
        public let reason: RateReason
    }

    private let state: Mutex<State>
    /// Held while an order is decided and passed on, so that orders of several loops do not overtake each other. The stream's lock may be
    /// taken inside.
    private let passing = Mutex(())

    public init(_ settings: EncoderRate.Settings) {
        state = Mutex(State(rate: EncoderRate(settings), settings: settings))
    }

    /// The limits of the viewers' estimates.
    public var pathLimits: RateLimits { state.withLock { $0.settings.pathLimits } }

    public var decision: Decision { state.withLock { Decision(order: $0.rate.order, reason: $0.rate.reason) } }

    /// Decides and passes on an order, one caller after the other.
    func pass(_ body: () -> Void) { passing.withLock { _ in body() } }

    /// The configuration has changed.
    func change(_ settings: EncoderRate.Settings) {
        state.withLock { state in
            var settings = settings
            settings.frames = state.settings.frames
            Self.change(&state, to: settings)
        }
    }

    private static func change(_ state: inout State, to settings: EncoderRate.Settings) {
        guard state.settings != settings else { return }
        state.settings = settings
        state.rate.change(settings)
    }

    /// Takes the present estimates of an audience's viewers.
    ///
    /// - Parameter frames: what the encoder makes if nothing is reduced; `nil` if that is not known now.
    /// - Returns: the encoder's new order; `nil` if it stays.
    func update(
        _ rates: ViewerRates, of audience: ObjectIdentifier, frames: FrameFormat?, at now: MonotonicTime
    ) -> EncoderOrder? {
        state.withLock { state in
            let former = state.rate.order
            if let frames {
                var settings = state.settings
                settings.frames = frames
                Self.change(&state, to: settings)
            }
            state.audiences[audience] = rates
            state.all.removeAll()
            for rates in state.audiences.values { state.all.add(rates) }
            _ = state.rate.update(&state.all, at: now)
            return state.rate.order == former ? nil : state.rate.order
        }
    }

    /// An audience has no viewers any more. The last one leaves the encoder as it is configured.
    ///
    /// - Returns: the encoder's new order; `nil` if it stays.
    func remove(_ audience: ObjectIdentifier) -> EncoderOrder? {
        state.withLock { state in
            state.audiences[audience] = nil
            guard state.audiences.isEmpty else { return nil }
            let former = state.rate.order
            state.rate = EncoderRate(state.settings)
            return state.rate.order == former ? nil : state.rate.order
        }
    }
}

extension Stream {
    /// What its viewers can receive; `nil` if its encoder does not follow them. A companion has no encoder of video: its viewers count as
    /// viewers of the stream that it replaces.
    public var rates: StreamRates? { encoded.state.withLock { $0.rates } }

    /// The stream whose source encodes the video: this one, or the one that this companion replaces.
    var encoded: Stream { state.withLock { $0.home } ?? self }

    /// Makes the encoder follow the viewers, or keep to its configuration if `settings` is `nil`.
    public func setRates(_ settings: EncoderRate.Settings?) {
        guard let settings else {
            guard let rates = state.withLock({ $0.rates }) else { return }
            return rates.pass {
                let source = state.withLock { state in
                    state.rates = nil
                    return state.source
                }
                source?.follow(nil)
            }
        }
        let rates = state.withLock { state in
            let rates = state.rates ?? StreamRates(settings)
            state.rates = rates
            return rates
        }
        rates.change(settings)
        rates.pass { passOn(rates.decision.order, of: rates) }
    }

    /// Passes an order on to the source, unless the encoder does not follow these rates any more.
    func passOn(_ order: EncoderOrder?, of rates: StreamRates) {
        guard let order else { return }
        let source = state.withLock { $0.rates === rates ? $0.source : nil }
        source?.follow(order)
    }

    /// Takes the present estimates of the viewers of one audience.
    public func update(_ rates: ViewerRates, of audience: ObjectIdentifier, at now: MonotonicTime) {
        let encoded = encoded
        guard let streamRates = encoded.rates else { return }
        streamRates.pass {
            let frames = encoded.state.withLock { $0.source }?.status?.frames
            encoded.passOn(streamRates.update(rates, of: audience, frames: frames, at: now), of: streamRates)
        }
    }

    /// An audience has no viewers any more.
    public func removeRates(of audience: ObjectIdentifier) {
        let encoded = encoded
        guard let rates = encoded.rates else { return }
        rates.pass { encoded.passOn(rates.remove(audience), of: rates) }
    }
}
