/// The seconds between two frames, as a positive fraction.
struct FrameInterval: Hashable, Sendable {
    let numerator: Int
    let denominator: Int

    /// `nil` unless the fraction is positive.
    init?(_ numerator: Int, _ denominator: Int) {
        guard (1...Int(UInt32.max)).contains(numerator), (1...Int(UInt32.max)).contains(denominator) else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    var framesPerSecond: Double { Double(denominator) / Double(numerator) }
}

extension FrameInterval {
    private init(known denominator: Int) {
        numerator = 1
        self.denominator = denominator
    }

    static let thirtieth = FrameInterval(known: 30)
}
