import HTTPServer
import RTMPServer
import Reactor
import SRTServer
import WebRTCServer

extension StartupNotice {
    init(
        _ configuration: Configuration, _ viewer: GeneratedAccess?, _ publisher: GeneratedAccess?, port: Int?,
        tlsPort: Int?, http: HTTPServer.Server?, rtmp: RTMPServer.Server?, srt: SRTServer.Server?,
        webrtc: WebRTCServer.Server?,
        streams: [StreamLine]
    ) {
        let address = configuration.server.address
        let place = address.isEmpty ? "all addresses" : address
        let listeners = [
            port.map { "\(place), TCP port \($0) (RTSP)" }, tlsPort.map { "\(place), TCP port \($0) (RTSPS)" },
            http?.port(for: .clear).map { "\(place), TCP port \($0) (HTTP)" },
            http?.port(for: .tls).map { "\(place), TCP port \($0) (HTTPS)" },
            rtmp?.port(for: .clear).map { "\(place), TCP port \($0) (RTMP)" },
            rtmp?.port(for: .tls).map { "\(place), TCP port \($0) (RTMPS)" },
            srt.map { "\(place), UDP port \($0.port) (SRT)" },
            webrtc.map { "\(place), UDP and TCP \(Self.ports($0.portNumbers)) (WebRTC)" },
        ]
        // If the list of interfaces cannot be read, the notice still contains localhost.
        let addresses = (try? LocalAddresses.all()) ?? []
        self.init(
            listeners: listeners.compactMap(\.self), streams: streams, port: port, tlsPort: tlsPort,
            hosts: URLHost.reaching(listener: address, addresses: addresses),
            access: Access(configuration, viewer),
            publisher: publisher.map { Publisher(access: $0, loopback: configuration.access.loopback) },
            page: http.flatMap { http in
                Page(port: http.port(for: .clear).map(Int.init), tlsPort: http.port(for: .tls).map(Int.init))
            },
            rtmp: rtmp.flatMap { rtmp in
                RTMPPort(clear: rtmp.port(for: .clear).map(Int.init), tls: rtmp.port(for: .tls).map(Int.init))
            }, srtPort: srt.map { Int($0.port) })
    }

    private static func ports(_ numbers: [UInt16]) -> String {
        guard let first = numbers.first, let last = numbers.last, first != last else {
            return "port \(numbers.first.map(String.init) ?? "none")"
        }
        return "ports \(first) to \(last)"
    }
}

extension StartupNotice.Access {
    init(_ configuration: Configuration, _ viewer: GeneratedAccess?) {
        if !configuration.access.httpCallback.isEmpty {
            self = .callback
        } else if !configuration.users.isEmpty {
            self = .users
        } else if configuration.isOpen {
            self = .open
        } else {
            self = viewer.map { .viewer($0, loopback: configuration.access.loopback) } ?? .thisHost
        }
    }
}
