import Glibc

/// Device memory that other devices can read without a copy: a Linux DMABUF
/// (https://docs.kernel.org/driver-api/dma-buf.html). Its descriptor is closed with its last reference.
public final class DMABuffer: Sendable {
    public let descriptor: CInt
    /// The size of the whole buffer.
    public let byteCount: Int

    /// Takes ownership of the descriptor.
    public init(owning descriptor: CInt, byteCount: Int) {
        (self.descriptor, self.byteCount) = (descriptor, byteCount)
    }

    deinit { close(descriptor) }
}
