import CLinux

/// The packets of one access unit as the kernel takes them, two vectors each, for as many viewers as one call serves.
///
/// As behind a server, each of those viewers has headers of its own, and all have the same payload. It is written once:
/// what remains to measure is the kernel's work.
final class UnitMemory {
    let packetCapacity: Int
    /// For how many viewers.
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

    /// The vectors of these packets, of the copy of one viewer.
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
