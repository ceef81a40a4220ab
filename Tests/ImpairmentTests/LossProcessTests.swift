import Impairment
import Testing

@Suite struct LossProcessTests {
    private func losses(_ model: LossModel, seed: UInt64, _ direction: Direction = .up, count: Int) -> [Bool] {
        var process = LossProcess(seed: seed, direction: direction)
        return (0..<count).map { _ in process.isNextLost(by: model) }
    }

    private func share(_ losses: [Bool]) -> Double {
        Double(losses.count(where: \.self)) / Double(losses.count)
    }

    /// The lengths of the runs of lost packets.
    private func bursts(_ losses: [Bool]) -> [Int] {
        losses.split(separator: false).map(\.count)
    }

    @Test func theSameSeedLosesTheSamePackets() {
        let channel = LossModel.gilbertElliott(GilbertElliott(enter: 0.01, leave: 0.2))
        for model in [.independent(0.05), channel] {
            let first = losses(model, seed: 7, count: 20_000)
            #expect(first == losses(model, seed: 7, count: 20_000))
            #expect(first != losses(model, seed: 8, count: 20_000))
            #expect(first != losses(model, seed: 7, .down, count: 20_000))
        }
    }

    @Test(arguments: [0.01, 0.02, 0.5, 1])
    func independentLossHasItsProbability(probability: Double) {
        let measured = share(losses(.independent(probability), seed: 1, count: 1_000_000))
        #expect(abs(measured - probability) < 0.05 * probability)
    }

    @Test func nothingIsLostWithoutLoss() {
        #expect(!losses(.independent(0), seed: 1, count: 100_000).contains(true))
    }

    @Test func singleLossesAreIndependent() {
        let lost = losses(.independent(0.1), seed: 3, count: 500_000)
        let lengths = bursts(lost)
        let mean = Double(lengths.reduce(0, +)) / Double(lengths.count)
        #expect(abs(mean - 1 / 0.9) < 0.01)
    }

    @Test(arguments: [(0.005, 0.1), (0.01, 0.25), (0.1, 0.5)])
    func gilbertLossesComeInBurstsOfTheirLength(enter: Double, leave: Double) {
        let channel = GilbertElliott(enter: enter, leave: leave)
        let lost = losses(.gilbertElliott(channel), seed: 1, count: 1_000_000)
        #expect(abs(share(lost) - enter / (enter + leave)) < 0.05 * enter / (enter + leave))
        let lengths = bursts(lost)
        let mean = Double(lengths.reduce(0, +)) / Double(lengths.count)
        #expect(abs(mean - 1 / leave) < 0.05 / leave)
        // The number of bursts is that of the changes from good to bad.
        let good = Double(lost.count) - Double(lengths.reduce(0, +))
        #expect(abs(Double(lengths.count) / good - enter) < 0.05 * enter)
    }

    @Test func bothStatesLoseTheirShare() {
        let channel = GilbertElliott(enter: 0.02, leave: 0.08, lossWhenBad: 0.5, lossWhenGood: 0.01)
        #expect(abs(channel.meanLoss - 0.108) < 1e-9)
        let measured = share(losses(.gilbertElliott(channel), seed: 1, count: 1_000_000))
        #expect(abs(measured - 0.108) < 0.05 * 0.108)
    }
}
