import CLinux
import Glibc

/// UDP generic segmentation offload: the kernel cuts one message into datagrams (UDP_SEGMENT, Linux 4.18).
public enum GSO {
    /// The most segments in one message (UDP_MAX_SEGMENTS before Linux 6.9).
    public static let maximumSegmentCount = 64
    /// The most bytes in one message: the largest UDP payload over IPv4.
    public static let maximumByteCount = 65_507

    /// Tests whether GSO works: sends two segments over loopback and checks that two datagrams arrive, because some sandboxes
    /// accept the option and ignore it. Takes at most 200 ms.
    public static func probe() -> Bool {
        // Any failure here means that GSO does not work.
        do {
            let sender = try UDPSocket(at: .loopback(.ipv4, port: 0), bufferByteCount: 65_536)
            let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0), bufferByteCount: 65_536)
            guard let address = receiver.localAddress, sendTwo(from: sender, to: address) else { return false }
            return receivesTwo(receiver)
        } catch {
            return false
        }
    }

    private static let segmentByteCount = 64

    private static func sendTwo(from sender: borrowing UDPSocket, to address: SocketAddress) -> Bool {
        let payload = [UInt8](repeating: 0x55, count: 2 * segmentByteCount)
        let error = payload.withUnsafeBytes {
            sender.send($0, to: address, segmentByteCount: UInt16(segmentByteCount))
        }
        return error == nil
    }

    private static func receivesTwo(_ receiver: borrowing UDPSocket) -> Bool {
        var batch = ReceivedDatagrams(capacity: 4, datagramByteCount: 512)
        var arrived = 0
        while arrived < 2 {
            var descriptor = pollfd(fd: receiver.fd, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 200) == 1, case .bytes = batch.receive(from: receiver) else { return false }
            var areExact = true
            batch.forEachDatagram { areExact = areExact && $0.bytes.count == segmentByteCount }
            guard areExact else { return false }
            arrived += batch.count
        }
        return true
    }
}

extension UDPSocket {
    /// Sends `bytes` as datagrams of `segmentByteCount`, of which the last may be shorter; returns an error if that failed.
    public func send(
        _ bytes: UnsafeRawBufferPointer, to address: SocketAddress, segmentByteCount: UInt16?,
        source: SocketAddress? = nil
    ) -> SystemError? {
        var part = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        var destination = sockaddr_storage()
        let addressByteCount = address.write(to: &destination, for: family)
        return withUnsafeTemporaryAllocation(byteCount: ControlMessages.byteCount, alignment: 8) { control in
            let used = ControlMessages.write(
                segmentByteCount: segmentByteCount, source: source, for: family, into: control)
            return withUnsafeMutablePointer(to: &part) { part in
                withUnsafeMutablePointer(to: &destination) { destination in
                    var message = msghdr(
                        msg_name: destination, msg_namelen: addressByteCount, msg_iov: part, msg_iovlen: 1,
                        msg_control: used > 0 ? control.baseAddress : nil, msg_controllen: used, msg_flags: 0)
                    let count = uninterrupted { sendmsg(fd, &message, clinux_dont_wait | clinux_no_signal) }
                    return count < 0 ? .last("sendmsg") : nil
                }
            }
        }
    }
}
