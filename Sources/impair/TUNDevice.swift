import CTun
import Glibc
import Reactor

/// A TUN device that exists in the network namespace of the process. Reads and writes never block.
struct TUNDevice: ~Copyable {
    private let descriptor: Descriptor

    init(_ name: String) throws(SystemError) {
        let fd = ctun_open(name)
        guard fd >= 0 else { throw SystemError(call: "open TUN device", code: errno) }
        descriptor = Descriptor(adopting: fd)
    }

    var fd: Int32 { descriptor.fd }

    /// Reads the next IP packet into `buffer`; returns its bytes, or `nil` if none is waiting.
    func read(into buffer: inout [UInt8]) -> ArraySlice<UInt8>? {
        let count = buffer.withUnsafeMutableBytes { Glibc.read(fd, $0.baseAddress, $0.count) }
        return count > 0 ? buffer[..<count] : nil
    }

    /// Sends an IP packet; returns whether the kernel took it.
    func write(_ packet: [UInt8]) -> Bool {
        packet.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) } == packet.count
    }
}
