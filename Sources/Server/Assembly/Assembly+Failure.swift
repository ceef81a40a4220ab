import HTTPServer
import RTSPServer
import Reactor

extension Assembly.Failure {
    /// The message for a failure to bind the ports of RTSP.
    init(_ failure: BindingFailure, _ configuration: Configuration) {
        guard failure.way != nil else {
            description = Self.udpFailure(
                failure, configuration.rtp,
                loopCount: RTSPServer.ServerOptions(configuration, access: nil).loopCount)
            return
        }
        let isTLS = failure.way == .tls
        description = Self.tcpFailure(
            failure.error, port: isTLS ? configuration.tls.port : configuration.server.port,
            option: isTLS ? "tls.port" : "--port (server.port)")
    }

    /// The message for a failure to bind the ports of HTTP.
    init(_ failure: ListeningFailure, _ configuration: Configuration) {
        let isTLS = failure.security == .tls
        description = Self.tcpFailure(
            failure.error, port: isTLS ? configuration.http.tlsPort : configuration.http.port,
            option: isTLS ? "http.tlsPort" : "--http-port (http.port)")
    }

    static func tcpFailure(_ error: SystemError, port: Int, option: String) -> String {
        if error.isAddressInUse {
            return "port \(port) is in use: stop the other server, or choose another port with \(option)"
        }
        if error.isPermissionDenied {
            return "no permission to listen on port \(port): choose a port from 1024 up with \(option), or grant the "
                + "capability CAP_NET_BIND_SERVICE"
        }
        return "cannot listen on port \(port): \(error); see server.address and \(option)"
    }

    private static func udpFailure(
        _ failure: BindingFailure, _ ports: Configuration.RTP, loopCount: Int
    ) -> String {
        let range = "from \(ports.firstUDPPort) to \(ports.lastUDPPort)"
        guard failure.error.isAddressInUse else {
            return "cannot use the UDP ports \(range): \(failure); see --udp-ports (rtp.firstUDPPort, rtp.lastUDPPort)"
        }
        return
            "not enough UDP ports are free \(range): the server has \(loopCount) event "
            + "\(loopCount == 1 ? "loop, which needs" : "loops, each of which needs") an even port and the next one; stop the program "
            + "that uses them, or choose other ports with --udp-ports (rtp.firstUDPPort, rtp.lastUDPPort)"
    }
}
