import Wire

/// The datagrams of a TCP connection: each has its length before it, in two bytes (RFC 4571, section 2). So ICE, DTLS and media pass
/// networks without UDP (RFC 6544).
public struct FramedDatagrams: Sendable {
    /// The bytes from `start` on have not been read.
    private var buffer: [UInt8] = []
    private var start = 0
    private let byteLimit: Int

    /// The length before a datagram.
    public static let headByteCount = 2

    /// - Parameter byteLimit: the longest datagram that is read. Peers send what fits into a packet of an Ethernet.
    public init(byteLimit: Int = 2_048) {
        self.byteLimit = byteLimit
    }

    /// Why the connection must be closed: nothing behind a datagram that is too long can be found.
    public struct DatagramTooLong: Error, Hashable, Sendable, CustomStringConvertible {
        public let byteCount: Int
        public let limit: Int

        public var description: String { "a framed datagram of \(byteCount) bytes is longer than \(limit)" }
    }

    /// Adds received bytes.
    public mutating func append(_ bytes: RawSpan) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(bytes)
    }

    /// The next datagram; `nil` if more bytes are needed.
    public mutating func next() throws(DatagramTooLong) -> [UInt8]? {
        guard buffer.count - start >= Self.headByteCount else { return nil }
        let byteCount = Int(buffer[start]) << 8 | Int(buffer[start + 1])
        guard byteCount <= byteLimit else { throw DatagramTooLong(byteCount: byteCount, limit: byteLimit) }
        let begin = start + Self.headByteCount
        guard buffer.count - begin >= byteCount else { return nil }
        start = begin + byteCount
        return Array(buffer[begin..<start])
    }

    /// The bytes of a datagram in a connection.
    public static func framed(_ datagram: [UInt8]) -> [UInt8] {
        precondition(datagram.count <= 0xFFFF, "the length has two bytes")
        return [UInt8(datagram.count >> 8), UInt8(truncatingIfNeeded: datagram.count)] + datagram
    }
}
