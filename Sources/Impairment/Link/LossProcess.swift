/// Decides which packets of one direction are lost. The decision depends only on the seed, the direction and the packet's number,
/// and in the Gilbert–Elliott model on the number of packets before it; it does not depend on time.
public struct LossProcess: Sendable {
    private let losses: SeededNumbers
    private let changes: SeededNumbers
    private var number: UInt64 = 0
    private var isBad = false

    public init(seed: UInt64, direction: Direction) {
        losses = SeededNumbers(seed: seed, direction: direction, .loss)
        changes = SeededNumbers(seed: seed, direction: direction, .channelState)
    }

    /// Decides about the next packet.
    public mutating func isNextLost(by model: LossModel) -> Bool {
        defer { number += 1 }
        let probability: Double
        switch model {
        case .independent(let share):
            probability = share
        case .gilbertElliott(let channel):
            if changes.fraction(at: number) < (isBad ? channel.leave : channel.enter) { isBad.toggle() }
            probability = isBad ? channel.lossWhenBad : channel.lossWhenGood
        }
        return losses.fraction(at: number) < probability
    }
}
