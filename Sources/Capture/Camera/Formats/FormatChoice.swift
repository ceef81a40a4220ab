/// What is asked of a camera: one of its formats, at a size and a rate. A pure decision over what it offers.
struct FormatChoice: Hashable, Sendable {
    let code: FourCharacterCode
    let format: PixelFormat
    let width: Int
    let height: Int
    let interval: FrameInterval

    /// What the configuration asks for.
    struct RequestedMode: Hashable, Sendable {
        let width: Int
        let height: Int
        let interval: FrameInterval
    }

    /// The best of `offers`; `nil` where none is in a format that Apus reads.
    ///
    /// In this order: no software conversion in the driver's library; the nearest size; the nearest rate; the format that
    /// costs least. So a camera that gives 1280×720 at 30 pictures a second as JPEG only, and at 10 raw, is read as JPEG.
    init?(of offers: [FormatOffer], for requested: RequestedMode) {
        let candidates = offers.compactMap { offer in
            PixelFormat(code: offer.code).flatMap { Candidate(offer, $0, requested) }
        }
        guard let best = candidates.min(by: { $0.rank.lexicographicallyPrecedes($1.rank) }) else { return nil }
        self = best.choice
    }

    fileprivate init(_ code: FourCharacterCode, _ format: PixelFormat, _ mode: Mode) {
        self.code = code
        self.format = format
        (width, height, interval) = (mode.width, mode.height, mode.interval)
    }

    /// What is different from the wish, for people; `nil` where nothing is.
    func difference(from requested: RequestedMode) -> String? {
        let isSize = width == requested.width && height == requested.height
        let isRate = Mode.rateDistance(interval, requested.interval) == 0
        guard !isSize || !isRate else { return nil }
        return "\(requested.width)×\(requested.height) at \(rateText(requested.interval)) was asked for"
    }

    /// `1280×720 at 30 fps as YUYV`.
    var description: String { "\(width)×\(height) at \(rateText(interval)) as \(code)" }
}

/// `30 fps`, `7.5 fps`.
func rateText(_ interval: FrameInterval) -> String {
    let hundredths = (interval.denominator * 100 + interval.numerator / 2) / interval.numerator
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole) fps" }
    let digits = rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)"
    return "\(whole).\(digits) fps"
}

/// A size and a rate of one offer, and how far they are from the wish.
private struct Mode {
    let width: Int
    let height: Int
    let interval: FrameInterval
    let sizeDistance: Int
    let rateDistance: Int

    init(_ offer: SizeOffer, _ requested: FormatChoice.RequestedMode) {
        let (width, height) = (offer.widths.nearest(to: requested.width), offer.heights.nearest(to: requested.height))
        let rates = offer.intervals.map { $0.nearest(to: requested.interval) }
        let interval = rates.min {
            Self.rateDistance($0, requested.interval) < Self.rateDistance($1, requested.interval)
        }
        self.interval = interval ?? requested.interval
        (self.width, self.height) = (width, height)
        sizeDistance = abs(width - requested.width) + abs(height - requested.height)
        rateDistance = Self.rateDistance(self.interval, requested.interval)
    }

    /// In hundredths of the wanted rate; up to two, as from 30 to 29.97, are none.
    static func rateDistance(_ interval: FrameInterval, _ wanted: FrameInterval) -> Int {
        let ratio = interval.framesPerSecond / wanted.framesPerSecond
        // Both are positive fractions of 32-bit numbers: at most 2¹²⁸.
        let hundredths = Int(min(abs(ratio - 1) * 100, 1_000_000))
        return hundredths <= 2 ? 0 : hundredths
    }
}

private struct Candidate {
    let choice: FormatChoice
    let rank: [Int]

    init?(_ offer: FormatOffer, _ format: PixelFormat, _ requested: FormatChoice.RequestedMode) {
        let modes = offer.sizes.map { Mode($0, requested) }.filter { $0.width >= 16 && $0.height >= 16 }
        let best = modes.min { ($0.sizeDistance, $0.rateDistance) < ($1.sizeDistance, $1.rateDistance) }
        guard let best else { return nil }
        choice = FormatChoice(offer.code, format, best)
        rank = [offer.isEmulated ? 1 : 0, best.sizeDistance, best.rateDistance, format.preference]
    }
}
