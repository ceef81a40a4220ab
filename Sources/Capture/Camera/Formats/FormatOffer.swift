/// A format that a camera offers, with its sizes and rates.
struct FormatOffer: Hashable, Sendable {
    let code: FourCharacterCode
    /// libv4l2 would make it in software, out of another.
    let isEmulated: Bool
    let sizes: [SizeOffer]
}

/// A size, or a range of sizes, with the frame intervals of it.
struct SizeOffer: Hashable, Sendable {
    let widths: SteppedRange
    let heights: SteppedRange
    /// Empty where the driver does not tell: it will be asked.
    let intervals: [IntervalOffer]

    init(widths: SteppedRange, heights: SteppedRange, intervals: [IntervalOffer]) {
        self.widths = widths
        self.heights = heights
        self.intervals = intervals
    }

    init(width: Int, height: Int, intervals: [IntervalOffer]) {
        self.init(
            widths: SteppedRange(lowest: width, highest: width, step: 1),
            heights: SteppedRange(lowest: height, highest: height, step: 1), intervals: intervals)
    }
}

/// Numbers from a lowest to a highest, a step apart.
struct SteppedRange: Hashable, Sendable {
    let lowest: Int
    let highest: Int
    let step: Int

    /// Whatever a driver says becomes a range of at least one number.
    init(lowest: Int, highest: Int, step: Int) {
        self.lowest = max(0, lowest)
        self.highest = max(self.lowest, highest)
        self.step = max(1, step)
    }

    /// The number of the range that is nearest to `wanted`.
    func nearest(to wanted: Int) -> Int {
        guard wanted > lowest else { return lowest }
        let steps = (min(wanted, highest) - lowest + step / 2) / step
        return min(lowest + steps * step, lowest + (highest - lowest) / step * step)
    }
}

/// Seconds from one picture to the next, as a fraction; both positive.
struct FrameInterval: Hashable, Sendable {
    let numerator: Int
    let denominator: Int

    /// `nil` unless it is a positive fraction.
    init?(_ numerator: Int, _ denominator: Int) {
        guard (1...Int(UInt32.max)).contains(numerator), (1...Int(UInt32.max)).contains(denominator) else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    var framesPerSecond: Double { Double(denominator) / Double(numerator) }
}

/// One interval, or all between two.
struct IntervalOffer: Hashable, Sendable {
    let shortest: FrameInterval
    let longest: FrameInterval

    init(_ interval: FrameInterval) {
        self.init(shortest: interval, longest: interval)
    }

    init(shortest: FrameInterval, longest: FrameInterval) {
        self.shortest = shortest
        self.longest = longest
    }

    /// The interval of the offer that is nearest to `wanted`.
    func nearest(to wanted: FrameInterval) -> FrameInterval {
        if wanted.framesPerSecond >= shortest.framesPerSecond { return shortest }
        return wanted.framesPerSecond <= longest.framesPerSecond ? longest : wanted
    }
}
