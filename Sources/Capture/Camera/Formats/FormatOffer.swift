/// A format that a camera offers, with its sizes and rates.
struct FormatOffer: Hashable, Sendable {
    let code: FourCharacterCode
    /// Whether libv4l2 converts to it in software.
    let isEmulated: Bool
    let sizes: [SizeOffer]
}

/// A size or a range of sizes, with the frame intervals available for it.
struct SizeOffer: Hashable, Sendable {
    let widths: SteppedRange
    let heights: SteppedRange
    /// Empty if the driver does not list any; the rate is then requested blindly.
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

/// A range of integers with a step.
struct SteppedRange: Hashable, Sendable {
    let lowest: Int
    let highest: Int
    let step: Int

    /// Corrects invalid values from the driver to a range of at least one number.
    init(lowest: Int, highest: Int, step: Int) {
        self.lowest = max(0, lowest)
        self.highest = max(self.lowest, highest)
        self.step = max(1, step)
    }

    /// The number in the range that is nearest to `wanted`.
    func nearest(to wanted: Int) -> Int {
        guard wanted > lowest else { return lowest }
        let steps = (min(wanted, highest) - lowest + step / 2) / step
        return min(lowest + steps * step, lowest + (highest - lowest) / step * step)
    }
}

/// One frame interval, or a range of them.
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

    /// The offered interval that is nearest to `wanted`.
    func nearest(to wanted: FrameInterval) -> FrameInterval {
        if wanted.framesPerSecond >= shortest.framesPerSecond { return shortest }
        return wanted.framesPerSecond <= longest.framesPerSecond ? longest : wanted
    }
}
