import CLinux
import Glibc

/// A pair of UDP sockets: RTP at an even port and RTCP at the next port (RFC 3550, section 11).
@frozen public struct RTPSocketPair: ~Copyable {
    public let rtp: UDPSocket
    public let rtcp: UDPSocket
    /// The even port, which RTP uses.
    public let port: UInt16

    /// Binds the first pair in `range` with two free ports, on all addresses.
    ///
    /// - Throws: `isAddressInUse` if there is none.
    public static func bind(
        evenIn range: ClosedRange<UInt16>, bufferByteCount: Int32 = UDPSocket.requestedBufferByteCount
    ) throws(SystemError) -> RTPSocketPair {
        let first = Int(range.lowerBound) + Int(range.lowerBound) % 2
        for port in stride(from: first, to: Int(range.upperBound), by: 2) {
            do {
                let port = UInt16(port)
                let rtp = try UDPSocket.onAllAddresses(port: port, bufferByteCount: bufferByteCount)
                let rtcp = try UDPSocket.onAllAddresses(port: port + 1, bufferByteCount: bufferByteCount)
                return RTPSocketPair(rtp: rtp, rtcp: rtcp, port: port)
            } catch let error where error.isAddressInUse {
                continue
            }
        }
        throw SystemError(call: "bind", code: EADDRINUSE)
    }
}

extension RTPSocketPair {
    /// Binds one socket for both (RFC 5761).
    ///
    /// - Parameter address: where; `nil` for all addresses.
    public static func multiplexed(
        port: UInt16, at address: SocketAddress? = nil, bufferByteCount: Int32 = UDPSocket.requestedBufferByteCount
    ) throws(SystemError) -> RTPSocketPair {
        let rtp =
            if let address {
                try UDPSocket(at: address.with(port: port), bufferByteCount: bufferByteCount)
            } else {
                try UDPSocket.onAllAddresses(port: port, bufferByteCount: bufferByteCount)
            }
        let rtcp = try UDPSocket(sharing: rtp)
        let bound = rtp.localAddress?.port ?? port
        return RTPSocketPair(rtp: rtp, rtcp: rtcp, port: bound)
    }

    /// Creates receivers of a group's RTP and RTCP; see `UDPSocket.init(receiving:)`.
    public static func receiving(
        _ group: SocketAddress, controlPort: UInt16, onInterfaceHaving address: SocketAddress? = nil,
        bufferByteCount: Int32 = 4 << 20
    ) throws(SystemError) -> RTPSocketPair {
        let rtp = try UDPSocket(receiving: group, onInterfaceHaving: address, bufferByteCount: bufferByteCount)
        let rtcp = try UDPSocket(
            receiving: group.with(port: controlPort), onInterfaceHaving: address, bufferByteCount: bufferByteCount)
        return RTPSocketPair(rtp: rtp, rtcp: rtcp, port: group.port)
    }
}
