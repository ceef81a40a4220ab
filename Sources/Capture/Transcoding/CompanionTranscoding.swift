import Codecs
import Logging
import Media
import Reactor
import Streams
import Synchronization

/// What becomes of tracks that a viewer's protocol cannot carry.
public enum TranscodingMode: String, CaseIterable, Hashable, Sendable {
    /// They are encoded again, once for all such viewers, as long as there is one.
    case auto
    /// Such viewers do without them.
    case no
}

/// Makes the companion of a path's stream: a stream for viewers of MPEG-TS, in which G.711 is encoded as AAC. One encoder serves all of
/// them. It starts when the first one sets up the stream, and stops after the last one has left. Thread-safe.
public final class CompanionTranscoding: ViewerTranscoding {
    private struct State {
        var mode: TranscodingMode
        var settings: AudioEncoder.Settings
        var companion: Streams.Stream?
        /// When a viewer last asked for the companion, or used it.
        var lastUse = MonotonicTime(nanoseconds: 0)
        var isRunning = false
        /// The tracks about which the log has said that viewers do without them.
        var reported: [Track] = []
    }

    private let state: Mutex<State>
    private let log: Logger

    /// How long the encoder runs on without a viewer, in nanoseconds: a viewer that has got an answer to SETUP may take that long for its
    /// PLAY, and one that reconnects finds the stream as it was.
    static let idleNanoseconds: Int64 = 2_000_000_000

    /// - Parameter settings: of the encoder; `nil` for the default.
    public init(_ mode: TranscodingMode, _ settings: AudioEncoder.Settings?, log: Logger) {
        state = Mutex(State(mode: mode, settings: settings ?? AudioEncoder.Settings()))
        self.log = log
    }

    /// Uses these settings for viewers that come from now on; the encoder uses them when it starts again.
    public func change(to mode: TranscodingMode, _ settings: AudioEncoder.Settings?) {
        state.withLock { state in
            if mode != state.mode { state.reported = [] }
            (state.mode, state.settings) = (mode, settings ?? AudioEncoder.Settings())
        }
    }

    public func companion(of stream: Streams.Stream, for tracks: [Track]) -> Streams.Stream? {
        let now = MonotonicTime.now()
        return state.withLock { state in
            guard state.mode == .auto, tracks.allSatisfy(\.isTranscodedForTransportStreams) else {
                if state.reported != tracks {
                    state.reported = tracks
                    log.notice("\(Self.names(of: tracks)) is left out for viewers of MPEG-TS, which cannot carry it")
                }
                return nil
            }
            let companion = state.companion ?? Streams.Stream(companionOf: stream)
            (state.companion, state.lastUse) = (companion, now)
            if !state.isRunning { state.isRunning = start(stream, companion, state.settings, tracks) }
            return state.isRunning ? companion : nil
        }
    }

    private static func names(of tracks: [Track]) -> String {
        tracks.map { "track \($0.id.index + 1) (\($0.codec.facts.encodingName))" }.joined(separator: ", ")
    }

    // MARK: The thread

    /// - Returns: whether a thread was started.
    private func start(
        _ stream: Streams.Stream, _ companion: Streams.Stream, _ settings: AudioEncoder.Settings, _ tracks: [Track]
    ) -> Bool {
        do throws(SystemError) {
            let doorbell = try Doorbell()
            companion.attach(KeyframeForwarder(to: stream))
            try startDetachedThread(name: "companion") {
                let run = CompanionRun(stream, companion, settings, doorbell: doorbell, log: self.log)
                run.run { !self.stopIfUnused(companion) }
                self.log.info("audio is no longer encoded for viewers of MPEG-TS")
            }
            log.info("\(Self.names(of: tracks)) is encoded as AAC for viewers of MPEG-TS")
            return true
        } catch {
            log.error("\(Self.names(of: tracks)) is left out: no thread can be started: \(error)")
            return false
        }
    }

    /// - Returns: whether the companion has been unused for long enough, and now sleeps.
    private func stopIfUnused(_ companion: Streams.Stream) -> Bool {
        let now = MonotonicTime.now()
        return state.withLock { state in
            if companion.demand.isNeeded { state.lastUse = now }
            guard now - state.lastUse > Self.idleNanoseconds else { return false }
            // With the lock, because the next viewer starts it again.
            companion.sleep()
            state.isRunning = false
            return true
        }
    }
}

extension Track {
    /// Whether it is audio that no transport stream carries and that is encoded as AAC for them.
    var isTranscodedForTransportStreams: Bool { kind == .audio && codec.facts.streamType == nil }
}

/// Passes the requests of a companion's viewers on to the stream.
private final class KeyframeForwarder: Source {
    private let stream: Streams.Stream

    init(to stream: Streams.Stream) {
        self.stream = stream
    }

    func requestKeyframe() { stream.requestKeyframe(at: .now()) }
}
