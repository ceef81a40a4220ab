import CLinux

/// The packets of one access unit as vectors for the kernel, two per packet, for as many viewers as one call serves.
///
/// As in a server, each viewer has its own headers, and all viewers share the payload. The memory is written once, so that
/// only the kernel's work is measured.
final class UnitMemory {
    let packetCapacity: Int
    /// The number of viewers for which there are vectors.
    let viewerCount: Int
    private let vectors: UnsafeMutablePointer<iovec>
    private let prefixes: UnsafeMutableRawPointer
    private let payloads: UnsafeMutableRawPointer

    init(_ plan: LimitPlan, prefix: RTPPrefix, viewerCount: Int) {
        packetCapacity = plan.mostPackets
        self.viewerCount = viewerCount
        let count = packetCapacity * viewerCount
        prefixes = Self.zeros(count * prefix.rawValue)
        payloads = Self.zeros(packetCapacity * plan.payloadByteCount)
        vectors = .allocate(capacity: 2 * count)
        for index in 0..<count {
            let payload = payloads + index % packetCapacity * plan.payloadByteCount
            (vectors + 2 * index).initialize(
                to: iovec(iov_base: prefixes + index * prefix.rawValue, iov_len: prefix.rawValue))
            (vectors + 2 * index + 1).initialize(to: iovec(iov_base: payload, iov_len: plan.payloadByteCount))
        }
    }

    deinit {
        vectors.deallocate()
        prefixes.deallocate()
        payloads.deallocate()
    }

    /// The vectors of these packets for one viewer.
    func packets(_ range: Range<Int>, ofViewer viewer: Int) -> UnsafeMutableBufferPointer<iovec> {
        UnsafeMutableBufferPointer(
            start: vectors + 2 * (viewer % viewerCount * packetCapacity + range.lowerBound), count: 2 * range.count)
    }

    private static func zeros(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        return bytes
    }
}
