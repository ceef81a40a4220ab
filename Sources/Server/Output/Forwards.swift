import Connecting
import Logging
import SRTClient
import Streams
import Synchronization

/// The forwards of all paths. Thread-safe.
final class Forwards: Sendable {
    private struct Running {
        let settings: Configuration.Forward
        let forward: any PathForward
    }

    private let loops: ForwardLoops
    private let calls: SRTCalls
    private let log: Logger
    /// By the path of the stream, in the order of the configuration.
    private let running = Mutex<[String: [Running]]>([:])

    init(on loops: ForwardLoops, _ calls: SRTCalls, log: Logger) {
        (self.loops, self.calls, self.log) = (loops, calls, log)
    }

    /// Makes the forwards of a stream those of `wanted`: new ones are started, missing ones stopped, and the others go on.
    func set(_ wanted: [Configuration.Forward], of forwarded: ForwardedStream) {
        running.withLock { running in
            let path = forwarded.stream.path
            guard running[path] != nil || !wanted.isEmpty else { return }
            let former = running[path] ?? []
            let ended = former.filter { !wanted.contains($0.settings) }
            for old in ended { old.forward.stop() }
            running[path] = wanted.map { settings in
                if let present = former.first(where: { $0.settings == settings }) { return present }
                var log = log
                log[metadataKey: "path"] = "\(path)"
                let forward = makeForward(settings, of: forwarded, on: loops, calls, log: log)
                forward.start(
                    after: ended.first { $0.settings.destination.place == settings.destination.place }?.forward)
                return Running(settings: settings, forward: forward)
            }
            if wanted.isEmpty { running[path] = nil }
        }
    }

    /// Stops the forwards of a stream that is no longer served.
    func remove(_ path: String) {
        let former = running.withLock { $0.removeValue(forKey: path) }
        for old in former ?? [] { old.forward.stop() }
    }

    /// The forwards of a stream.
    func all(of path: String) -> [any PathForward] {
        running.withLock { $0[path, default: []].map(\.forward) }
    }
}
