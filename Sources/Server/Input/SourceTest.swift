import Capture
import Dispatch
import Logging
import Media
import RTSP
import RTSPClient
import Reactor
import Streams
import Synchronization

/// Runs a source until it publishes media, to test whether it works.
enum SourceTest {
    /// A camera, or a file on a slow disk, takes one or two seconds to its first frame.
    static let usualMilliseconds = 5_000

    /// Why the path's source publishes no media; `nil` if it does, or if it cannot be tested.
    ///
    /// Fifos and standard input are not tested, because the server could not read the same bytes again. Substreams are not
    /// tested either: they work if their parents do. Blocks for at most `milliseconds`. A source that does not end keeps its thread.
    static func failure(of path: Configuration.Path, within milliseconds: Int = usualMilliseconds) -> SourceFailure? {
        switch path.source {
        // The loops that pull over RTMP run only in a server.
        case .standardInput, .substream, .publish, .track, .pulledRTMP, .pulledSRT: return nil
        case .testCard, .url: break
        case .pulled(let url, _): return failure(ofDescribing: url, path.pull, within: milliseconds)
        case .path(let file):
            do throws(SourceFailure) {
                if try InputKind(of: file) == .pipe { return nil }
            } catch {
                return error
            }
        }
        let silent = Logger(label: "apus.trial") { _ in SwiftLogNoOpLogHandler() }
        return failure(
            of: makeSource(
                path, fanOut: FrameFanOut(), parent: nil, publishing: nil, pulls: PullLoops(),
                transcoding: ReceptionTranscoding(EncodingSettings(path), log: silent), log: silent),
            within: milliseconds)
    }

    /// Why the other server does not describe the stream; `nil` if it does.
    private static func failure(
        ofDescribing url: RequestURL, _ settings: Configuration.Pull, within milliseconds: Int
    ) -> SourceFailure? {
        do {
            let description = try Describe.description(
                of: url, login: try ClientLogin(at: url, user: settings.user, password: settings.password),
                accepting: settings.certificate.certificates,
                deadline: .now().advanced(byMilliseconds: Int64(milliseconds)))
            let isUsable = ReceivedMedia(pulledFrom: description) != nil
            return isUsable ? nil : SourceFailure(reason: "\(url.text): the stream has no supported codec")
        } catch {
            return SourceFailure(reason: "\(url.text): \(error)")
        }
    }

    static func failure(of source: any SupervisedSource, within milliseconds: Int) -> SourceFailure? {
        let stream = Streams.Stream(path: "/trial", epoch: .now())
        let run = TestRun()
        do throws(SystemError) {
            try startDetachedThread(name: "apus-trial") { run.run(source, into: stream) }
        } catch {
            return SourceFailure(reason: "cannot start a thread for the source: \(error)")
        }
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        while stream.published.byteCount == 0, DispatchTime.now() < deadline {
            guard run.ended.wait(timeout: .now() + .milliseconds(10)) == .success else { continue }
            return run.failure.withLock { $0 }
                ?? (stream.published.byteCount > 0
                    ? nil : SourceFailure(reason: "\(source.label) ended without any video or audio"))
        }
        let hasMedia = stream.published.byteCount > 0
        source.stop()
        // So that the device can be opened again.
        _ = run.ended.wait(timeout: .now() + .milliseconds(500))
        return hasMedia
            ? nil : SourceFailure(reason: "\(source.label) gave no video and no audio within \(milliseconds) ms")
    }

    /// Shared with the thread, which may run longer than the test.
    private final class TestRun: Sendable {
        let failure = Mutex<SourceFailure?>(nil)
        let ended = DispatchSemaphore(value: 0)

        func run(_ source: any SupervisedSource, into stream: Streams.Stream) {
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
    /// Shorter than the timeout of `ControlClient`.
    private static let settingMilliseconds = 4_000

    /// Tests the source of the path `name`, if the source or its effects differ from those in `present`.
    ///
    /// For a camera, tests only whether its device exists, because the old source may still use it.
    func testSource(of name: String, since present: Configuration) throws(SettingFailure) {
        guard let path = servedPaths[name] else { return }
        let before = present.servedPaths[name]
        switch path.source {
        case .pulled, .url:
            guard path.source != before?.source else { return }
            guard let failure = SourceTest.failure(of: path, within: Self.settingMilliseconds) else { return }
            throw SettingFailure(source: failure)
        default: break
        }
        guard case .path(let file) = path.source else { return }
        // If the file cannot be examined, the source itself reports it.
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
