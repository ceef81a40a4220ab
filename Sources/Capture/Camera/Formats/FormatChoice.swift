import Codecs

/// The mode to request from a camera: a format, a size and a rate. A pure function of what the camera offers.
struct FormatChoice: Hashable, Sendable {
    let code: FourCharacterCode
    let format: PixelFormat
    let width: Int
    let height: Int
    let interval: FrameInterval

    /// The size and rate in the configuration.
    struct RequestedMode: Hashable, Sendable {
        let width: Int
        let height: Int
        let interval: FrameInterval
    }

    /// The best of `offers`; `nil` if Apus reads none of their formats.
    ///
    /// Criteria, in this order: no software conversion in libv4l2; the nearest size; the nearest rate; the cheapest format. A
    /// camera that offers 1280×720 at 30 frames per second only as JPEG, and raw at 10, is therefore read as JPEG.
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

    /// The requested mode as text if this one differs; `nil` if it does not.
    func difference(from requested: RequestedMode) -> String? {
        let hasRequestedSize = width == requested.width && height == requested.height
        let hasRequestedRate = Mode.rateDistance(interval, requested.interval) == 0
        guard !hasRequestedSize || !hasRequestedRate else { return nil }
        return "\(requested.width)×\(requested.height) at \(rateText(requested.interval)) was requested"
    }

    /// `1280×720 at 30 fps as YUYV`.
    var description: String { "\(width)×\(height) at \(rateText(interval)) as \(code)" }
}

extension FormatChoice {
    /// The mode that the driver has accepted.
    init(_ layout: FrameLayout, _ interval: FrameInterval) {
        (code, format, width, height) = (layout.code, layout.format, layout.width, layout.height)
        self.interval = interval
    }
}

extension FormatChoice.RequestedMode {
    init(_ video: VideoEncoderSettings) {
        width = video.width
        height = video.height
        interval =
            FrameInterval(Int(video.frameRate.denominator), Int(video.frameRate.numerator)) ?? .thirtieth
    }
}

/// `30 fps`, `7.5 fps`.
func rateText(_ interval: FrameInterval) -> String {
    let hundredths = (interval.denominator * 100 + interval.numerator / 2) / interval.numerator
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole) fps" }
    let digits = rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)"
    return "\(whole).\(digits) fps"
}

/// A size and a rate of one offer, and their distance from the requested mode.
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

    /// The difference in percent of the requested rate; less than three percent, as between 30 and 29.97, counts as none.
    static func rateDistance(_ interval: FrameInterval, _ wanted: FrameInterval) -> Int {
        let ratio = interval.framesPerSecond / wanted.framesPerSecond
        // Both are positive fractions of 32-bit numbers: at most 2⁶⁴.
        let percent = Int(min(abs(ratio - 1) * 100, 1_000_000))
        return percent <= 2 ? 0 : percent
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
