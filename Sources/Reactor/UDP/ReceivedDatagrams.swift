import CLinux
import Glibc

/// A received datagram; its bytes are valid until the next batch.
public struct Datagram {
    public let bytes: UnsafeRawBufferPointer
    public let source: SocketAddress
    /// The local address to which it was sent, with port 0; `nil` if the kernel did not report it.
    public let destination: SocketAddress?
    /// The time at which the kernel received it, in nanoseconds since 1970; `nil` unless the socket has arrival times enabled.
    public let arrivalUnixNanoseconds: Int64?
    /// If the kernel coalesced several packets (GRO): the size of each but the last. `nil` for a single packet.
    public let segmentByteCount: Int?

    /// The packets of the datagram in the order of sending: several if the kernel coalesced them (GRO).
    public var packets: GROPackets { GROPackets(bytes, segmentByteCount: segmentByteCount) }
}

/// A buffer for a batch of datagrams, allocated once; one system call receives all pending datagrams that fit.
public struct ReceivedDatagrams: ~Copyable {
    /// Datagrams in the current batch.
    public private(set) var count = 0
    /// Whether the current batch has no room left, so that more datagrams may be pending.
    public var isFull: Bool { count == messages.count }
    /// The total size of the current batch, in bytes.
    public var byteCount: Int { messages[..<count].reduce(0) { $0 + Int($1.msg_len) } }
    private let messages: UnsafeMutableBufferPointer<mmsghdr>
    private let parts: UnsafeMutableBufferPointer<iovec>
    private let addresses: UnsafeMutableBufferPointer<sockaddr_storage>
    private let payloads: UnsafeMutableRawBufferPointer
    private let controls: UnsafeMutableRawBufferPointer

    /// The largest datagram that GRO can produce (`UDPSocket.setGRO`).
    public static let maximumGROByteCount = 65_536

    /// - Parameters:
    ///   - capacity: Datagrams per batch.
    ///   - datagramByteCount: Longer datagrams are dropped. 2048 holds any Ethernet frame; GRO needs `maximumGROByteCount`.
    public init(capacity: Int = 32, datagramByteCount: Int = 2048) {
        messages = .allocate(capacity: capacity)
        parts = .allocate(capacity: capacity)
        addresses = .allocate(capacity: capacity)
        payloads = .allocate(byteCount: capacity * datagramByteCount, alignment: 16)
        controls = .allocate(byteCount: capacity * clinux_control_capacity, alignment: 16)
        addresses.initialize(repeating: sockaddr_storage())
        messages.initialize(repeating: mmsghdr())
        for index in 0..<capacity {
            let payload = payloads.baseAddress.map { $0 + index * datagramByteCount }
            parts.initializeElement(at: index, to: iovec(iov_base: payload, iov_len: datagramByteCount))
            messages[index].msg_hdr.msg_iov = parts.baseAddress.map { $0 + index }
            messages[index].msg_hdr.msg_iovlen = 1
            messages[index].msg_hdr.msg_name = addresses.baseAddress.map { UnsafeMutableRawPointer($0 + index) }
            messages[index].msg_hdr.msg_control = controls.baseAddress.map { $0 + index * clinux_control_capacity }
            reset(index)
        }
    }

    deinit {
        messages.deallocate()
        parts.deallocate()
        addresses.deallocate()
        payloads.deallocate()
        controls.deallocate()
    }

    /// Replaces the batch by the pending datagrams of `socket`; returns `wouldBlock` if there are none.
    public mutating func receive(from socket: borrowing UDPSocket) -> ReadOutcome {
        for index in 0..<count { reset(index) }
        let received = uninterrupted {
            recvmmsg(socket.fd, messages.baseAddress, UInt32(clamping: messages.count), clinux_dont_wait, nil)
        }
        count = Int(max(received, 0))
        if received > 0 { return .bytes(count) }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("recvmmsg"))
    }

    /// The datagram at `index`, which must be below `count`; `nil` if it was longer than the buffer.
    public subscript(index: Int) -> Datagram? {
        precondition(index < count, "the index must be below the number of received datagrams")
        guard messages[index].msg_hdr.msg_flags & clinux_truncated == 0 else { return nil }
        guard let source = SocketAddress(addresses[index]) else { return nil }
        var destination = sockaddr_storage()
        let hasDestination = clinux_control_destination(&messages[index].msg_hdr, &destination) != 0
        let bytes = UnsafeRawBufferPointer(start: parts[index].iov_base, count: Int(messages[index].msg_len))
        var arrival: Int64 = 0
        let hasArrivalTime = clinux_control_arrival(&messages[index].msg_hdr, &arrival) != 0
        let segment = Int(clinux_control_train(&messages[index].msg_hdr))
        return Datagram(
            bytes: bytes, source: source, destination: hasDestination ? SocketAddress(destination) : nil,
            arrivalUnixNanoseconds: hasArrivalTime ? arrival : nil, segmentByteCount: segment > 0 ? segment : nil)
    }

    /// Calls `body` with each datagram of the batch.
    public func forEachDatagram(_ body: (Datagram) -> Void) {
        for index in 0..<count {
            if let datagram = self[index] { body(datagram) }
        }
    }

    /// Restores the fields that the kernel has set to the sizes that it used.
    private func reset(_ index: Int) {
        messages[index].msg_hdr.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
        messages[index].msg_hdr.msg_controllen = clinux_control_capacity
        messages[index].msg_hdr.msg_flags = 0
    }
}
