import CLinux
import Reactor

/// The destination addresses of all viewers as the kernel expects them, and the sending socket, which serves both address
/// families like a server's socket.
final class DatagramRoutes {
    let socket: UDPSocket
    let count: Int
    private let addresses: UnsafeMutablePointer<sockaddr_storage>
    private let addressByteCount: socklen_t
    private let gsoControl: UnsafeMutableRawBufferPointer
    private let plainControl: UnsafeMutableRawBufferPointer

    /// - Parameter packetByteCount: the segment size of GSO batches.
    init(to viewers: [SocketAddress], packetByteCount: Int) throws(SystemError) {
        let socket = try UDPSocket.onAllAddresses(port: 0)
        let family = socket.family
        count = viewers.count
        addresses = .allocate(capacity: viewers.count)
        addresses.initialize(repeating: sockaddr_storage(), count: viewers.count)
        var byteCount: socklen_t = 0
        for (index, viewer) in viewers.enumerated() { byteCount = viewer.write(to: addresses + index, for: family) }
        addressByteCount = byteCount
        // The server, too, states the source address of each datagram.
        gsoControl = Self.control(segmentByteCount: UInt16(clamping: packetByteCount), family)
        plainControl = Self.control(segmentByteCount: nil, family)
        self.socket = socket
    }

    deinit {
        addresses.deallocate()
        gsoControl.baseAddress?.deallocate()
        plainControl.baseAddress?.deallocate()
    }

    /// A message with `packets`, which the kernel segments if they are a GSO batch.
    func message(_ packets: UnsafeMutableBufferPointer<iovec>, toViewer viewer: Int, isGSOBatch: Bool) -> msghdr {
        let control = isGSOBatch ? gsoControl : plainControl
        return msghdr(
            msg_name: addresses + viewer, msg_namelen: addressByteCount, msg_iov: packets.baseAddress,
            msg_iovlen: packets.count, msg_control: control.baseAddress, msg_controllen: control.count, msg_flags: 0)
    }

    private static func control(
        segmentByteCount: UInt16?, _ family: AddressFamily
    ) -> UnsafeMutableRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ControlMessages.byteCount, alignment: 8)
        let used = ControlMessages.write(
            segmentByteCount: segmentByteCount, source: .loopback(.ipv4, port: 0), for: family, into: buffer)
        return UnsafeMutableRawBufferPointer(rebasing: buffer[..<used])
    }
}
