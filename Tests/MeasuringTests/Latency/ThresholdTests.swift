import Testing

@testable import Measuring

@Suite struct ThresholdTests {
    @Test(
        arguments: [
            ("p99>50ms", .of(.decoded, .percentile(99)), .above, 50),
            ("p99.9 >= 1.5 s", .of(.decoded, .percentile(99.9)), .atLeast, 1_500),
            (" arrival.p50 < 250us ", .of(.arrival, .percentile(50)), .below, 0.25),
            ("arrival.p99.9<=1µs", .of(.arrival, .percentile(99.9)), .atMost, 0.001),
            ("max>1s", .of(.decoded, .maximum), .above, 1_000),
            ("late.mean>0ms", .of(.late, .mean), .above, 0),
            ("spacing.min>1ms", .of(.spacing, .minimum), .above, 1),
            ("p0>1ms", .of(.decoded, .percentile(0)), .above, 1),
            ("first-decoded>2s", .value(.firstDecoded), .above, 2_000),
            ("loss>0.1%", .value(.loss), .above, 0.1),
            ("bitrate<1.5Mbit/s", .value(.bitrate), .below, 1_500_000),
            ("lost>0", .value(.lost), .above, 0),
            ("fps<29.5", .value(.frameRate), .below, 29.5),
        ] as [(String, Quantity, Threshold.Comparison, Double)])
    func aThresholdIsParsed(
        text: String, quantity: Quantity, comparison: Threshold.Comparison, limit: Double
    ) throws {
        let threshold = try Threshold(text)
        #expect(threshold.quantity == quantity)
        #expect(threshold.comparison == comparison)
        #expect((threshold.limit - limit).magnitude < 1e-9)
        #expect(threshold.text == text)
    }

    @Test(arguments: [
        "", "p99", ">50ms", "p99>", "p99>ms", "p99=50ms", "p99>50", "p99>50 m s", "p99>50%", "p101>5ms", "p>5ms",
        "p.5>5ms",
        "p-1>5ms", "pp>5ms", "p9e1>5ms", "nothing.p99>5ms", "decoded>5ms", "decoded.>5ms", ".p99>5ms",
        "arrival.loss>1%",
        "loss>1", "loss>1ms", "lost>1ms", "lost>-1", "lost>nan", "lost>inf", "lost>1e400", "lost>0x10", "lost>1.2.3",
        "bitrate>1", "bitrate>1Gbit/s", "p99>>5ms", "p99><5ms", "p99>5ms>6ms", "P99>5ms", "p99>٥ms", "\u{0}>1ms",
        "decoded.p99.9.9>1ms",
    ])
    func invalidThresholdsAreRefused(text: String) {
        let error = #expect(throws: Threshold.ParseError.self) { try Threshold(text) }
        #expect(error?.description.isEmpty == false)
    }

    @Test(arguments: Vocabulary.allCases)
    func allQuantitiesOfTheErrorMessageAreAccepted(vocabulary: Vocabulary) throws {
        for value in vocabulary.values {
            let units = ["", "ms", "%", "kbit/s"].filter { unit in
                (try? Threshold("\(value.rawValue)>1\(unit)", in: vocabulary)) != nil
            }
            #expect(units.count == 1, "\(value)")
        }
        for distribution in vocabulary.distributions {
            let threshold = try Threshold("\(distribution.rawValue).p50>1ms", in: vocabulary)
            #expect(threshold.quantity == .of(distribution, .percentile(50)))
        }
        _ = try Threshold(vocabulary.example, in: vocabulary)
    }

    @Test func everyQuantityIsMeasuredByACommand() {
        let vocabularies = Vocabulary.allCases
        #expect(Set(vocabularies.flatMap(\.values)) == Set(Quantity.Value.allCases))
        #expect(Set(vocabularies.flatMap(\.distributions)) == Set(Quantity.Distribution.allCases))
    }

    @Test(
        arguments: [
            (.viewers, "p99>50ms", .of(.arrival, .percentile(99))), (.viewers, "play.max>1s", .of(.play, .maximum)),
            (.viewers, "units-in-time<100", .value(.unitsInTime)),
            (.joins, "p50>5ms", .of(.firstDecodable, .percentile(50))),
            (.encoding, "max>33ms", .of(.packaged, .maximum)), (.limit, "train-cost>1", .value(.gsoWithGROCost)),
        ] as [(Vocabulary, String, Quantity)])
    func eachCommandHasItsOwnQuantities(vocabulary: Vocabulary, text: String, quantity: Quantity) throws {
        #expect(try Threshold(text, in: vocabulary).quantity == quantity)
    }

    @Test(
        arguments: [
            (.viewers, "gop>1s"), (.viewers, "decoded.p99>1ms"), (.viewers, "play>1ms"), (.joins, "arrival.p99>1ms"),
            (.encoding, "lost>0"), (.limit, "p99>1ms"), (.limit, "max>1ms"), (.stream, "gaps>0"),
        ] as [(Vocabulary, String)])
    func aQuantityOfAnotherCommandIsRefused(vocabulary: Vocabulary, text: String) {
        #expect(throws: Threshold.ParseError.self) { try Threshold(text, in: vocabulary) }
    }

    @Test(
        arguments: [
            ("p50>7.1ms", true), ("p50>6.9ms", false), ("p50>=7ms", false), ("p50<=7ms", false), ("p50<7ms", true),
            ("arrival.max<5.1ms", false), ("decoding.p99>=2ms", false), ("loss>0%", true), ("lost>=0", false),
            ("frames<91", false), ("gop>1s", true), ("broken>0", true), ("undecoded>0", true),
        ] as [(String, Bool)])
    func aThresholdFailsIfItHolds(text: String, passes: Bool) throws {
        var session = SyntheticSession()
        session.captureTimestamp = SyntheticSession.correct
        let measurement = try session.measurement(reports: [session.report(0)])
        let evaluation = measurement.evaluate(try Threshold(text))
        #expect((evaluation == .passed) == passes)
        if case .undecided = evaluation { Issue.record("the quantity was measured: \(evaluation)") }
    }

    @Test(arguments: ["p99>50ms", "arrival.p99<50ms", "encoded.max>0ms", "sound-offset>1s", "clock-error<1ms"])
    func aThresholdOnAnUnmeasuredQuantityIsUndecided(text: String) throws {
        let evaluation = try SyntheticSession().measurement(isOwnAddress: false).evaluate(try Threshold(text))
        guard case .undecided(let reason) = evaluation else {
            Issue.record("the quantity was not measured: \(evaluation)")
            return
        }
        #expect(reason.contains(text))
    }
}
