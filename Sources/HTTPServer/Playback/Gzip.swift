import CZlib
import NIOCore

extension ByteBuffer {
    /// The readable bytes in the gzip format; `nil` without memory.
    var gzipped: ByteBuffer? {
        withUnsafeReadableBytes { bytes in
            let capacity = apus_gzip_bound(bytes.count)
            var compressed = ByteBufferAllocator().buffer(capacity: capacity)
            let count = compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { output in
                apus_gzip(
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count,
                    output.baseAddress?.assumingMemoryBound(to: UInt8.self), capacity)
            }
            return count > 0 ? compressed : nil
        }
    }
}

extension Request {
    /// Whether the client reads gzip (RFC 9110, section 12.5.3).
    var acceptsGzip: Bool {
        values(of: "Accept-Encoding").flatMap { $0.split(separator: ",") }.contains { item in
            let words = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard words.first == "gzip" || words.first == "x-gzip" else { return false }
            // A weight of 0 means: not at all.
            return !words.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) ?? 0 == 0 }
        }
    }
}
