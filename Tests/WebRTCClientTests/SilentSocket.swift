import Reactor

/// A UDP socket on loopback that answers nothing.
struct SilentSocket: ~Copyable {
    private let socket: UDPSocket
    let port: UInt16

    init() throws(SystemError) {
        socket = try UDPSocket(at: .loopback(.ipv4, port: 0))
        port = socket.localAddress?.port ?? 0
    }
}
