import Capture
import Media
import Streams
import Synchronization
import Testing

@testable import Server

struct ReopenedSourceTests {
    private let stream = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))

    /// A path whose video has this bitrate.
    private static func path(_ bitrate: Int) -> Configuration.Path {
        var path = Configuration.Path()
        path.video.bitrate = bitrate
        return path
    }

    @Test func eachRunBeginsWithTheLatestSettings() throws {
        let opened = Mutex<[Int]>([])
        let source = ReopenedSource(label: "x", path: Self.path(10_000)) { path throws(SourceFailure) in
            opened.withLock { $0.append(path.video.bitrate) }
            return ToldSource()
        }
        try source.run(into: stream)
        #expect(source.change(to: Self.path(20_000)) == .appliedAtNextStart)
        try source.run(into: stream)
        #expect(opened.withLock { $0 } == [10_000, 20_000])
    }

    @Test(arguments: [true, false])
    func aRunEndsForGoodIfItsSourceDoes(_ endsForGood: Bool) throws {
        let source = ReopenedSource(label: "x", path: Self.path(10_000)) { _ throws(SourceFailure) in
            PassedOnSource(endsForGood: endsForGood)
        }
        #expect(!source.endsForGood)
        try source.run(into: stream)
        #expect(source.endsForGood == endsForGood)
    }

    @Test func settingsThatArriveDuringARunApplyToIt() throws {
        let present = Mutex<ReopenedSource?>(nil)
        let told = ToldSource { _ = present.withLock { $0 }?.change(to: Self.path(30_000)) }
        let source = ReopenedSource(label: "x", path: Self.path(10_000)) { path throws(SourceFailure) in
            _ = present.withLock { $0 }?.change(to: Self.path(20_000))
            return told
        }
        present.withLock { $0 = source }
        try source.run(into: stream)
        #expect(told.bitrates.withLock { $0 } == [20_000, 30_000])
        present.withLock { $0 = nil }
    }

    @Test func aSourceThatDoesNotEncodeReportsNoEffect() throws {
        let present = Mutex<ReopenedSource?>(nil)
        let answers = Mutex<[ReconfigurationResult?]>([])
        let source = ReopenedSource(label: "x", path: Self.path(10_000)) { _ throws(SourceFailure) in
            PassedOnSource { answers.withLock { $0.append(present.withLock { $0 }?.change(to: Self.path(1))) } }
        }
        present.withLock { $0 = source }
        try source.run(into: stream)
        #expect(answers.withLock { $0 } == [.noEffect])
        present.withLock { $0 = nil }
    }

    /// A file source can encode, but sends H.264 as it is.
    @Test func aSourceThatCanEncodeReportsWhetherItDoes() throws {
        let present = Mutex<ReopenedSource?>(nil)
        let answers = Mutex<[ReconfigurationResult?]>([])
        let codes = Mutex(true)
        let source = ReopenedSource(label: "x", path: Self.path(10_000)) { _ throws(SourceFailure) in
            ToldSource(status: codes.withLock { $0 } ? SourceStatus() : nil) {
                answers.withLock { $0.append(present.withLock { $0 }?.change(to: Self.path(1))) }
            }
        }
        present.withLock { $0 = source }
        try source.run(into: stream)
        codes.withLock { $0 = false }
        try source.run(into: stream)
        #expect(answers.withLock { $0 } == [.applied, .noEffect])
        present.withLock { $0 = nil }
    }

    /// Otherwise a camera that is just being opened would keep capturing.
    @Test func aStopBeforeTheSourceExistsEndsThatRunOnly() throws {
        let present = Mutex<ReopenedSource?>(nil)
        let isStopped = Mutex(true)
        let runs = Mutex(0)
        let source = ReopenedSource(label: "x", path: Self.path(10_000)) { _ throws(SourceFailure) in
            if isStopped.withLock({ $0 }) { present.withLock { $0 }?.stop() }
            return ToldSource { runs.withLock { $0 += 1 } }
        }
        present.withLock { $0 = source }
        try source.run(into: stream)
        #expect(runs.withLock { $0 } == 0)
        isStopped.withLock { $0 = false }
        try source.run(into: stream)
        #expect(runs.withLock { $0 } == 1)
        // Between two runs, a stop applies to the next run, which may be about to begin.
        source.stop()
        try source.run(into: stream)
        try source.run(into: stream)
        #expect(runs.withLock { $0 } == 2)
        present.withLock { $0 = nil }
    }

    @Test func aStopIsForgottenWhenTheRunFails() throws {
        let present = Mutex<ReopenedSource?>(nil)
        let attempts = Mutex(0)
        let runs = Mutex(0)
        let source = ReopenedSource(label: "x", path: Self.path(10_000)) { _ throws(SourceFailure) in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 1 {
                present.withLock { $0 }?.stop()
                throw SourceFailure(reason: "it is away")
            }
            return ToldSource { runs.withLock { $0 += 1 } }
        }
        present.withLock { $0 = source }
        #expect(throws: SourceFailure.self) { try source.run(into: stream) }
        try source.run(into: stream)
        #expect(runs.withLock { $0 } == 1)
        present.withLock { $0 = nil }
    }
}

/// Keeps what it is told; a run is what the test says.
private final class ToldSource: PathSource, ReconfigurableSource {
    let label = "told"
    let status: SourceStatus?
    let bitrates = Mutex<[Int]>([])
    private let body: @Sendable () -> Void

    init(status: SourceStatus? = SourceStatus(), _ body: @escaping @Sendable () -> Void = {}) {
        (self.status, self.body) = (status, body)
    }

    func run(into stream: Streams.Stream) throws(SourceFailure) { body() }
    func change(to encoding: EncodingSettings) { bitrates.withLock { $0.append(encoding.video.bitrate) } }
    func stop() {}
    func requestKeyframe() {}
}

/// Has no encoder.
private final class PassedOnSource: PathSource {
    let label = "passed on"
    let endsForGood: Bool
    private let body: @Sendable () -> Void

    init(endsForGood: Bool = false, _ body: @escaping @Sendable () -> Void = {}) {
        self.endsForGood = endsForGood
        self.body = body
    }

    func run(into stream: Streams.Stream) throws(SourceFailure) { body() }
    func change(to path: Configuration.Path) -> ReconfigurationResult { .noEffect }
    func stop() {}
    func requestKeyframe() {}
}
