import CLinux
import Glibc

/// Receives datagrams only to count them: the kernel copies nothing of what they hold.
public struct DiscardedDatagrams: ~Copyable {
    /// Datagrams in the batch at hand.
    public private(set) var count = 0
    /// What they held, in bytes.
    public private(set) var byteCount = 0
    private let messages: UnsafeMutableBufferPointer<mmsghdr>

    /// - Parameter capacity: Datagrams per batch.
    public init(capacity: Int = 64) {
        messages = .allocate(capacity: capacity)
        messages.initialize(repeating: mmsghdr())
    }

    deinit {
        messages.deallocate()
    }

    /// Replaces the batch by what waits at `socket`; ends with `wouldBlock` where nothing does.
    public mutating func receive(from socket: borrowing UDPSocket) -> ReadOutcome {
        // With MSG_TRUNC the kernel tells each datagram's true length, although there is no room for it.
        let received = uninterrupted {
            recvmmsg(
                socket.fd, messages.baseAddress, UInt32(clamping: messages.count), clinux_dont_wait | clinux_truncated,
                nil)
        }
        count = Int(max(received, 0))
        byteCount = messages[..<count].reduce(0) { $0 + Int($1.msg_len) }
        if received > 0 { return .bytes(count) }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("recvmmsg"))
    }
}
