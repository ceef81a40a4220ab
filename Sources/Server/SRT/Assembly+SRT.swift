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
                server: try SRTServer.Server(options: options, on: try calls.loop()),
                services: SRTServices(server: server, configuration))
        } catch {
            failure = Failure(
                description: "cannot serve SRT at UDP port \(configuration.srt.port) (--srt-port, srt.port): \(error)")
        }
        guard configuration.srt.serve == .auto else { throw failure }
        log.warning("no SRT: \(failure); srt.serve: no turns it off")
        return nil
    }
}
