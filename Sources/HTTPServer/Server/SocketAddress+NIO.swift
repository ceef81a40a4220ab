import NIOCore
import Reactor

extension Reactor.SocketAddress {
    /// The address of a channel; `nil` if it is not an Internet address.
    init?(_ address: NIOCore.SocketAddress) {
        guard let host = address.ipAddress, let port = address.port.flatMap(UInt16.init(exactly:)) else { return nil }
        self.init(host, port: port)
    }
}
