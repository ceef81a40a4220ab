/// How a link loses packets. Probabilities are from 0 to 1.
public enum LossModel: Equatable, Sendable {
    /// Each packet is lost with the same probability, independently of the others.
    case independent(Double)
    /// Packets are lost in bursts.
    case gilbertElliott(GilbertElliott)

    /// The share of packets that is lost in the long run.
    public var meanLoss: Double {
        switch self {
        case .independent(let probability): probability
        case .gilbertElliott(let channel): channel.meanLoss
        }
    }
}

/// A channel with a good and a bad state (Gilbert 1960, Elliott 1963). It may change its state before each packet, and begins in
/// the good state. If the bad state loses everything and the good state nothing, bursts last `1 / leave` packets on average.
public struct GilbertElliott: Equatable, Sendable {
    /// The probability of a change from good to bad (p).
    public var enter: Double
    /// The probability of a change from bad to good (r).
    public var leave: Double
    /// The probability of a loss in the bad state (1 - h).
    public var lossWhenBad = 1.0
    /// The probability of a loss in the good state (1 - k).
    public var lossWhenGood = 0.0

    public init(enter: Double, leave: Double, lossWhenBad: Double = 1, lossWhenGood: Double = 0) {
        (self.enter, self.leave) = (enter, leave)
        (self.lossWhenBad, self.lossWhenGood) = (lossWhenBad, lossWhenGood)
    }

    /// The share of packets that is lost in the long run.
    public var meanLoss: Double {
        guard enter > 0 else { return lossWhenGood }
        let shareOfBad = enter / (enter + leave)
        return shareOfBad * lossWhenBad + (1 - shareOfBad) * lossWhenGood
    }
}
