import Logging
import RTMPServer
import Reactor
import TLS

extension Assembly {
    /// The RTMP server of a configuration; `nil` if there is none.
    ///
    /// - Throws: if a port cannot be had and the configuration demands RTMP. Paths for publishers alone do not: the server then runs
    ///   without RTMP.
    static func rtmpServer(
        _ configuration: Configuration, _ identity: ServerIdentity?, _ log: Logger
    ) throws(Failure) -> RTMPServer.Server? {
        guard let options = RTMPServer.ServerOptions(configuration, identity: identity) else { return nil }
        do throws(PortFailure) {
            return try RTMPServer.Server(options: options, logger: log)
        } catch {
            let failure = Failure(error, configuration)
            guard configuration.rtmp.serve == .auto else { throw failure }
            log.warning("no RTMP: \(failure); rtmp.serve: no turns it off")
            return nil
        }
    }
}

extension Assembly.Failure {
    /// The message for a failure to bind the ports of RTMP.
    fileprivate init(_ failure: PortFailure, _ configuration: Configuration) {
        let port = failure.isTLS ? configuration.rtmp.tlsPort : configuration.rtmp.port
        description = Self.tcpFailure(
            failure.error, port: port, option: failure.isTLS ? "rtmp.tlsPort" : "--rtmp-port (rtmp.port)")
    }
}
