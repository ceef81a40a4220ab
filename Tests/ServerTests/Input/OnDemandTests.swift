import Dispatch
import Media
import Streams
import TestSupport
import Testing

@testable import Server

/// Sources that run only while their stream is needed.
struct OnDemandTests {
    private static let track = Track(
        id: TrackID(0), clockRate: .audio48k,
        format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)))

    private let stream = Stream(path: "/cam", epoch: .init(nanoseconds: 0))

    private func supervisor(_ source: ScriptedSource, closingAfter milliseconds: Int64) -> SourceSupervisor {
        SourceSupervisor(source, into: stream, closingAfter: milliseconds, log: Lines().logger)
    }

    @Test func aSourceRunsFromTheFirstUseToSomeTimeAfterTheLast() async {
        let source = ScriptedSource(failures: 0)
        let supervisor = supervisor(source, closingAfter: 100)
        supervisor.start()
        #expect(await eventually(within: 20) { supervisor.condition.state == .sleeping })
        #expect(source.runs == 0)
        for round in 1...3 {
            var uses = (0..<50).map { _ in StreamUse(of: stream) }
            source.waitUntilRunning()
            #expect(uses.count == 50)
            #expect(source.runs == round, "one run, however many uses")
            stream.announce([Self.track])
            #expect(stream.announcement != nil)
            let lastUse = DispatchTime.now()
            uses.removeAll()
            #expect(await eventually(within: 20) { supervisor.condition.state == .sleeping })
            #expect(DispatchTime.now() >= lastUse + .milliseconds(100))
            #expect(stream.announcement == nil, "the next source may have other tracks")
        }
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }

    @Test func aUseInTheClosingTimeCancelsTheClose() async {
        let source = ScriptedSource(failures: 0)
        let supervisor = supervisor(source, closingAfter: 1_000)
        supervisor.start()
        var use: StreamUse? = StreamUse(of: stream)
        source.waitUntilRunning()
        for _ in 0..<5 {
            use = nil
            use = StreamUse(of: stream)
        }
        // Longer than the closing time since the first use ended.
        try? await Task.sleep(for: .milliseconds(1_200))
        #expect(source.runs == 1 && supervisor.condition.state == .starting)
        withExtendedLifetime(use) {}
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }

    /// A client learns why the source fails, and the next attempt is made only while somebody wants the stream.
    @Test func aFailureIsKnownWhileTheStreamIsNeeded() async {
        let source = ScriptedSource(failures: .max)
        let supervisor = supervisor(source, closingAfter: 50)
        supervisor.start()
        var use: StreamUse? = StreamUse(of: stream)
        #expect(await eventually(within: 20) { stream.demand.failure != nil && supervisor.condition.state == .failing })
        #expect(stream.demand.failure?.reason == "the camera is away")
        // The pauses between tries grow.
        #expect((1...4).contains(stream.demand.failure?.retrySeconds ?? 0))
        withExtendedLifetime(use) {}
        use = nil
        #expect(await eventually(within: 20) { supervisor.condition.state == .sleeping })
        let runs = source.runs
        try? await Task.sleep(for: .milliseconds(600))
        #expect(source.runs == runs)
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }

    @Test func stoppingEndsTheSleep() async {
        let supervisor = supervisor(ScriptedSource(failures: 0), closingAfter: 100)
        supervisor.start()
        #expect(await eventually(within: 20) { supervisor.condition.state == .sleeping })
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }

    @Test(arguments: [
        ("{ source: publish, onDemand: true }", "onDemand: has no effect: a publisher decides"),
        ("{ source: '-', onDemand: true }", "onDemand: standard input cannot be opened"),
        ("{ source: testcard, onDemand: true, multicast: always }", "onDemand: contradicts multicast always"),
    ])
    func contradictionsAreNamed(path: String, problem: String) {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: "paths: { cam: \(path) }", file: "apus.yml")
        }
        #expect(failure?.description.contains(problem) == true, "\(failure?.description ?? "")")
    }
}
