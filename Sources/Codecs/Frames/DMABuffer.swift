import Glibc

/// Memory of one device that others can read without a copy: a Linux DMABUF
/// (https://docs.kernel.org/driver-api/dma-buf.html). Its descriptor is closed when the last who uses it lets go.
public final class DMABuffer: Sendable {
    public let descriptor: CInt
    /// Of all its memory.
    public let byteCount: Int

    /// Takes over the descriptor.
    public init(owning descriptor: CInt, byteCount: Int) {
        (self.descriptor, self.byteCount) = (descriptor, byteCount)
    }

    deinit { close(descriptor) }
}
