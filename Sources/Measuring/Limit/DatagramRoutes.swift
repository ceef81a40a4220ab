import CLinux
import Reactor

/// Where datagrams go, in the form that the kernel takes: from one socket of both families, as a server's, to each
/// viewer's.
final class DatagramRoutes {
    let socket: UDPSocket
    let count: Int
    private let addresses: UnsafeMutablePointer<sockaddr_storage>
    private let addressByteCount: socklen_t
    private let gsoControl: UnsafeMutableRawBufferPointer
    private let plainControl: UnsafeMutableRawBufferPointer

    /// - Parameter packetByteCount: What trains are cut into.
    init(to viewers: [SocketAddress], packetByteCount: Int) throws(SystemError) {
        let socket = try UDPSocket.onAllAddresses(port: 0)
        let family = socket.family
        count = viewers.count
        addresses = .allocate(capacity: viewers.count)
        addresses.initialize(repeating: sockaddr_storage(), count: viewers.count)
        var byteCount: socklen_t = 0
        for (index, viewer) in viewers.enumerated() { byteCount = viewer.write(to: addresses + index, for: family) }
        addressByteCount = byteCount
        // The address to answer from goes with every datagram of the server, too.
        gsoControl = Self.control(segmentByteCount: UInt16(clamping: packetByteCount), family)
        plainControl = Self.control(segmentByteCount: nil, family)
        self.socket = socket
    }

    deinit {
        addresses.deallocate()
        gsoControl.baseAddress?.deallocate()
        plainControl.baseAddress?.deallocate()
    }

    /// A message of `packets`, which the kernel cuts apart if it is a train.
    func message(_ packets: UnsafeMutableBufferPointer<iovec>, toViewer viewer: Int, isGSOBatch: Bool) -> msghdr {
        let control = isGSOBatch ? gsoControl : plainControl
        return msghdr(
            msg_name: addresses + viewer, msg_namelen: addressByteCount, msg_iov: packets.baseAddress,
            msg_iovlen: packets.count, msg_control: control.baseAddress, msg_controllen: control.count, msg_flags: 0)
    }

    private static func control(
        segmentByteCount: UInt16?, _ family: AddressFamily
    ) -> UnsafeMutableRawBufferPointer {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: ControlMessages.byteCount, alignment: 8)
        let used = ControlMessages.write(
            segmentByteCount: segmentByteCount, source: .loopback(.ipv4, port: 0), for: family, into: room)
        return UnsafeMutableRawBufferPointer(rebasing: room[..<used])
    }
}
