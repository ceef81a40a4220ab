import TestSupport

/// What a link carries over time, in bits per second, one value for each 100 ms. The traces are synthetic: no recorded ones are
/// at hand.
struct LinkTrace: Sendable {
    let name: String
    let values: [Double]

    /// In bits per second, at a time in seconds; the last value holds for ever.
    func rate(at time: Double) -> Double { values[min(Int(time * 10), values.count - 1)] }

    private init(_ name: String, seconds: Int, _ value: (Int) -> Double) {
        self.name = name
        values = (0..<seconds * 10).map(value)
    }

    /// 4 Mbit/s, 1 from 10 s on, 4 from 40 s on.
    static let step = step(until: 40)

    /// 4 Mbit/s, 1 from 10 s on, 4 from `rise` on, in seconds.
    static func step(until rise: Double) -> LinkTrace {
        LinkTrace("4-1-4", seconds: 140) { (100..<Int(rise * 10)).contains($0) ? 1e6 : 4e6 }
    }

    static func steady(_ rate: Double) -> LinkTrace {
        LinkTrace("steady \(rate / 1e6)", seconds: 200) { _ in rate }
    }

    /// Wi-Fi with a busy neighbour: 6 Mbit/s, and in a tenth of the time 1.5, for 0.1 to 0.5 s.
    static func wifi(seed: UInt64) -> LinkTrace {
        var random = SplitMix64(seed: seed)
        var busy = 0
        return LinkTrace("Wi-Fi-like", seconds: 200) { _ in
            busy =
                busy > 0
                ? busy - 1 : Double.random(in: 0..<1, using: &random) < 0.033 ? .random(in: 1...5, using: &random) : 0
            return busy > 0 ? 1.5e6 : .random(in: 5e6...7e6, using: &random)
        }
    }

    /// LTE: a level between 0.8 and 6 Mbit/s for 4 to 15 s each, with ± 25 % of noise.
    static func lte(seed: UInt64) -> LinkTrace {
        var random = SplitMix64(seed: seed)
        var (level, left) = (3e6, 0)
        return LinkTrace("LTE-like", seconds: 200) { _ in
            if left == 0 {
                level = 0.8e6 * pow2(.random(in: 0...2.9, using: &random))
                left = .random(in: 40...150, using: &random)
            }
            left -= 1
            return level * .random(in: 0.75...1.25, using: &random)
        }
    }

    /// A random walk between 0.5 and 8 Mbit/s, by up to ± 4 % each 100 ms.
    static func walk(seed: UInt64) -> LinkTrace {
        var random = SplitMix64(seed: seed)
        var rate = 3e6
        return LinkTrace("random walk", seconds: 200) { _ in
            rate = min(max(0.5e6, rate * .random(in: 0.96...1.0417, using: &random)), 8e6)
            return rate
        }
    }
}

/// 2 to the power of a number, without Foundation: the square root is applied once for each binary place.
private func pow2(_ exponent: Double) -> Double {
    var (result, rest, root) = (1.0, exponent, 2.0)
    while rest >= 1 { (result, rest) = (result * 2, rest - 1) }
    for _ in 0..<20 {
        (root, rest) = (root.squareRoot(), rest * 2)
        if rest >= 1 { (result, rest) = (result * root, rest - 1) }
    }
    return result
}
