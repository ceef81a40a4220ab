import Capture
import Dispatch
import Logging
import Media
import Reactor
import Streams
import Synchronization

/// Runs a source until it has given something, to find out whether it works.
enum SourceTest {
    /// A camera takes a second or two to its first picture, a file on a slow disk as long.
    static let usualMilliseconds = 5_000

    /// Why the path's source gives no media; `nil` if it does, or if it cannot be tried.
    ///
    /// Fifos and standard input are not read, because what is read is gone for the server; substreams work if their originals do.
    /// Blocks for `milliseconds` at most. A source that does not end is left to its thread.
    static func failure(of path: Configuration.Path, within milliseconds: Int = usualMilliseconds) -> SourceFailure? {
        switch path.source {
        case .standardInput, .substream: return nil
        case .testCard: break
        case .path(let file):
            do throws(SourceFailure) {
                if try InputKind(of: file) == .pipe { return nil }
            } catch {
                return error
            }
        }
        let silent = Logger(label: "apus.trial") { _ in SwiftLogNoOpLogHandler() }
        return failure(
            of: makeSource(path, fanOut: FrameFanOut(), parent: nil, log: silent), within: milliseconds)
    }

    static func failure(of source: any Source, within milliseconds: Int) -> SourceFailure? {
        let stream = Streams.Stream(path: "/trial", epoch: .now())
        let run = TestRun()
        do throws(SystemError) {
            try startDetachedThread(name: "apus-trial") { run.run(source, into: stream) }
        } catch {
            return SourceFailure(reason: "no thread for the source: \(error)")
        }
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        while stream.published.byteCount == 0, DispatchTime.now() < deadline {
            guard run.ended.wait(timeout: .now() + .milliseconds(10)) == .success else { continue }
            return run.failure.withLock { $0 }
                ?? (stream.published.byteCount > 0
                    ? nil : SourceFailure(reason: "\(source.label) ended before its first picture or sound"))
        }
        let hasMedia = stream.published.byteCount > 0
        source.stop()
        // So that a device is free again.
        _ = run.ended.wait(timeout: .now() + .milliseconds(500))
        return hasMedia
            ? nil : SourceFailure(reason: "\(source.label) gave no picture and no sound within \(milliseconds) ms")
    }

    /// Shared with the thread, which may outlive the trial.
    private final class TestRun: Sendable {
        let failure = Mutex<SourceFailure?>(nil)
        let ended = DispatchSemaphore(value: 0)

        func run(_ source: any Source, into stream: Streams.Stream) {
            do throws(SourceFailure) {
                try source.run(into: stream)
            } catch {
                failure.withLock { $0 = error }
            }
            ended.signal()
        }
    }
}

extension Configuration {
    /// Below the patience of `ControlClient`.
    private static let settingMilliseconds = 4_000

    /// Proves that the source of the path `name` works, if it, or its effects, are others than in `present`.
    ///
    /// A camera is only looked for: the source before may have it still.
    func testSource(of name: String, since present: Configuration) throws(SettingFailure) {
        guard let path = servedPaths[name], case .path(let file) = path.source else { return }
        let before = present.servedPaths[name]
        // What cannot be looked at is the source's own matter if it is the one before.
        let kind = try? InputKind(of: file)
        guard path.source != before?.source else {
            if path.effects != before?.effects, let kind, let refusal = path.refusal(of: file, kind) {
                throw SettingFailure(source: refusal)
            }
            return
        }
        if let refusal = path.refusalOnThisHost(file) { throw SettingFailure(source: refusal) }
        guard kind == .file, let failure = SourceTest.failure(of: path, within: Self.settingMilliseconds) else {
            return
        }
        throw SettingFailure(source: failure)
    }
}
