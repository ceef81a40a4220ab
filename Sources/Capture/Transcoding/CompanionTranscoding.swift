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

/// Makes the companions of a path's stream: a stream for viewers of MPEG-TS, in which G.711 is encoded as AAC, and one for browsers, in
/// which AAC and G.711 are encoded as Opus. One encoder serves all viewers of a companion. It starts when the first one sets up the stream,
/// and stops after the last one has left. Thread-safe.
public final class CompanionTranscoding: ViewerTranscoding {
    private struct State {
        var mode: TranscodingMode
        var settings: AudioEncoder.Settings
        /// By the codec of their audio.
        var companions: [Codec: Companion] = [:]
    }

    /// The companion with audio of one codec.
    private struct Companion {
        var stream: Streams.Stream?
        /// When a viewer last asked for it, or used it.
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
            if mode != state.mode { for codec in state.companions.keys { state.companions[codec]?.reported = [] } }
            (state.mode, state.settings) = (mode, settings ?? AudioEncoder.Settings())
        }
    }

    public func companion(of stream: Streams.Stream, for tracks: [Track], as codec: Codec) -> Streams.Stream? {
        let now = MonotonicTime.now()
        return state.withLock { state in
            var companion = state.companions[codec] ?? Companion()
            defer { state.companions[codec] = companion }
            guard state.mode == .auto, tracks.allSatisfy({ $0.isEncoded(as: codec) }) else {
                if companion.reported != tracks {
                    companion.reported = tracks
                    log.notice(
                        "\(Self.names(of: tracks)) is left out for \(codec.companionViewers), which cannot carry it")
                }
                return nil
            }
            let made = companion.stream ?? Streams.Stream(companionOf: stream)
            (companion.stream, companion.lastUse) = (made, now)
            if !companion.isRunning { companion.isRunning = start(stream, made, state.settings, tracks, as: codec) }
            return companion.isRunning ? made : nil
        }
    }

    private static func names(of tracks: [Track]) -> String {
        tracks.map { "track \($0.id.index + 1) (\($0.codec.facts.encodingName))" }.joined(separator: ", ")
    }

    // MARK: The thread

    /// - Returns: whether a thread was started.
    private func start(
        _ stream: Streams.Stream, _ companion: Streams.Stream, _ settings: AudioEncoder.Settings, _ tracks: [Track],
        as codec: Codec
    ) -> Bool {
        do throws(SystemError) {
            let doorbell = try Doorbell()
            companion.attach(KeyframeForwarder(to: stream))
            try startDetachedThread(name: "companion") {
                let run = CompanionRun(stream, companion, codec, settings, doorbell: doorbell, log: self.log)
                run.run { !self.stopIfUnused(codec) }
                self.log.info("audio is no longer encoded for \(codec.companionViewers)")
            }
            log.info(
                "\(Self.names(of: tracks)) is encoded as \(codec.companionName) for \(codec.companionViewers)")
            return true
        } catch {
            log.error("\(Self.names(of: tracks)) is left out: no thread can be started: \(error)")
            return false
        }
    }

    /// - Returns: whether the companion has been unused for long enough, and now sleeps.
    private func stopIfUnused(_ codec: Codec) -> Bool {
        let now = MonotonicTime.now()
        return state.withLock { state in
            guard var companion = state.companions[codec], let stream = companion.stream else { return true }
            defer { state.companions[codec] = companion }
            if stream.demand.isNeeded { companion.lastUse = now }
            guard now - companion.lastUse > Self.idleNanoseconds else { return false }
            // With the lock, because the next viewer starts it again.
            stream.sleep()
            companion.isRunning = false
            return true
        }
    }
}

extension Codec {
    /// The name of the codec as which audio is encoded for a companion.
    var companionName: String { self == .opus ? "Opus" : "AAC" }

    /// The viewers that get the companion with audio of this codec, as the log names them.
    var companionViewers: String { self == .opus ? "viewers over WebRTC" : "viewers of MPEG-TS" }
}

extension Track {
    /// Whether it is audio that is encoded as this codec for viewers of a companion.
    func isEncoded(as codec: Codec) -> Bool {
        switch codec {
        case .opus: kind == .audio && self.codec != .opus
        // No transport stream carries it.
        default: kind == .audio && self.codec.facts.streamType == nil
        }
    }
}

/// Passes the requests of a companion's viewers on to the stream.
private final class KeyframeForwarder: Source {
    private let stream: Streams.Stream

    init(to stream: Streams.Stream) {
        self.stream = stream
    }

    func requestKeyframe() { stream.requestKeyframe(at: .now()) }
}
