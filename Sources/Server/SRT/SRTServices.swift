import Delivery
import RTSP
import RTSPServer
import SRTServer
import Synchronization

/// What the SRT server shares with the RTSP server. Thread-safe; nothing waits, because libsrt asks within handshakes.
final class SRTServices: RTSPBackedServices, SRTSharedServices {
    let server: RTSPServer.Server
    private let settings: Mutex<Settings>

    private struct Settings {
        /// By the name of the path.
        var paths: [String: SRTConnectionOptions]
        var patterns: [(pattern: PathPattern, connection: SRTConnectionOptions)]

        init(_ configuration: Configuration) {
            paths = configuration.servedPaths.mapValues(\.srt.connection)
            patterns = configuration.publishPatterns.map { ($0.pattern, $0.path.srt.connection) }
        }

        func connection(at path: String) -> SRTConnectionOptions {
            paths[String(path.dropFirst())] ?? pattern(of: path) ?? SRTConnectionOptions()
        }

        func pattern(of path: String) -> SRTConnectionOptions? {
            patterns.first { $0.pattern.matches(path) }?.connection
        }
    }

    init(server: RTSPServer.Server, _ configuration: Configuration) {
        self.server = server
        settings = Mutex(Settings(configuration))
    }

    /// Uses these settings from the next handshake on.
    func change(to configuration: Configuration) { settings.withLock { $0 = Settings(configuration) } }

    func path(at path: String) -> OfferedPath? {
        server.entry(at: path).map { entry in
            OfferedPath(
                stream: entry.stream, join: entry.options.join, publishing: entry.publishing,
                connection: settings.withLock { $0.connection(at: entry.stream.path) })
        }
    }

    func nearestPath(to path: String) -> String? { server.nearestPath(to: path) }

    func creatablePath(at path: String) -> SRTConnectionOptions? { settings.withLock { $0.pattern(of: path) } }

    func createPath(
        _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
    ) -> Bool {
        server.createPath(path, for: publisher, then)
    }
}
