/// A measured figure beside the requested one.
public struct Finding: Equatable, Sendable {
    public let name: String
    public let unit: String
    public let requested: Double
    public let measured: Double
    public let holds: Bool

    /// The accepted deviation from the requested figure.
    static let tolerance = 0.05

    /// A figure that must be within the tolerance.
    init(_ name: String, _ unit: String, requested: Double, measured: Double) {
        (self.name, self.unit, self.requested, self.measured) = (name, unit, requested, measured)
        holds = abs(measured - requested) <= Self.tolerance * requested
    }

    /// The number of lost packets; the packets themselves must be those that the seed predicts.
    init(lost: [Int], predicted: [Int]) {
        (name, unit) = ("lost packets as the seed predicts", "")
        (requested, measured) = (Double(predicted.count), Double(lost.count))
        holds = lost == predicted
    }
}
