/// Memory for one decrypted packet, used again for the next one. It grows to the longest packet.
struct PlainMemory: ~Copyable {
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Grows in steps of this size, so that it rarely grows. Nearly all packets fit into an Ethernet frame.
    private static let stepByteCount = 2_048

    deinit {
        bytes.deallocate()
    }

    /// Returns memory for this many bytes. What was there is lost if it grows.
    mutating func reserve(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
        if bytes.count < byteCount {
            bytes.deallocate()
            let stepCount = (byteCount + Self.stepByteCount - 1) / Self.stepByteCount
            bytes = .allocate(byteCount: stepCount * Self.stepByteCount, alignment: 16)
        }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount])
    }

    /// The first bytes, which are valid until the memory is reserved again.
    func prefix(_ byteCount: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
    }
}
