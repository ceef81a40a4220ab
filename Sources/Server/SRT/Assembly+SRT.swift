import Logging
import RTSPServer
import SRTClient
import SRTServer

/// What serves SRT. Thread-safe.
struct ServedSRT: Sendable {
    let server: SRTServer.Server
    let services: SRTServices
}

extension Assembly {
    /// The SRT server of a configuration; `nil` if there is none.
    ///
    /// - Throws: if the port or the library cannot be had and the configuration demands SRT. Paths for publishers alone do not: the server
    ///   then runs without SRT.
    static func servedSRT(
        _ configuration: Configuration, _ server: RTSPServer.Server, _ calls: SRTCalls, _ log: Logger
    ) throws(Failure) -> ServedSRT? {
        guard let options = SRTServer.ServerOptions(configuration) else { return nil }
        let failure: Failure
        do {
            return ServedSRT(
                server: try SRTServer.Server(options: options, on: try calls.load()),
                services: SRTServices(server: server, configuration))
        } catch {
            failure = Failure(
                description: "cannot serve SRT at UDP port \(configuration.srt.port) (--srt-port, srt.port): \(error)")
        }
        guard configuration.srt.serve == .auto else { throw failure }
        log.warning("no SRT: \(failure); srt.serve: no turns it off")
        return nil
    }

    /// Loads libsrt if a configuration calls SRT servers, because the sessions of forwards begin on media loops, which must not.
    ///
    /// Blocks for milliseconds. Call it before the configuration is applied, without the lock, which media loops take, too.
    func loadSRT(for configuration: Configuration) {
        guard configuration.callsSRT else { return }
        do throws(SRTFailure) {
            // Before the start of the components, theirs starts the thread.
            if state.withLock({ $0.components == nil }) { try pulls.srt.load() } else { try pulls.srt.start() }
        } catch {
            // The pulls and forwards log the failure, and try again.
            log.debug("SRT servers cannot be called", metadata: ["reason": "\(error)"])
        }
    }
}

extension Configuration {
    /// Whether a path pulls from an SRT server, or is forwarded to one.
    var callsSRT: Bool {
        (Array(servedPaths.values) + publishPatterns.map(\.path)).contains { $0.source.isSRT || $0.forwardsBySRT }
    }
}

extension SourceSpecification {
    fileprivate var isSRT: Bool { if case .pulledSRT = self { true } else { false } }
}

extension Configuration.Path {
    fileprivate var forwardsBySRT: Bool {
        forward.contains { if case .srt = $0.destination { true } else { false } }
    }
}
