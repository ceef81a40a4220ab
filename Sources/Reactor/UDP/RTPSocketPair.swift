import CLinux
import Glibc

/// An RTP socket at an even port and its RTCP socket at the next (RFC 3550, 11).
@frozen public struct RTPSocketPair: ~Copyable {
    public let rtp: UDPSocket
    public let rtcp: UDPSocket
    /// The even port; RTCP has the next.
    public let port: UInt16

    /// Binds the first pair of `range` of which both ports are free, on all addresses.
    ///
    /// - Throws: `isAddressInUse` where there is none.
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
