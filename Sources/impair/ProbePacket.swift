/// The payload of a probe: its place in the series, and when it was sent. The rest of the payload is padding.
///
///      0                4                8                        16
///     | number         | packets        | interval, nanoseconds  | sent at, nanoseconds   |
struct ProbePacket {
    /// From 0.
    let number: UInt32
    /// The packets of the series.
    let seriesCount: UInt32
    /// The time from one packet to the next, when sent.
    let intervalNanoseconds: Int64
    /// An instant of `CLOCK_MONOTONIC`, which both network namespaces share.
    let sentAt: Int64

    static let byteCount = 24
    /// The bytes of the IPv4 and UDP headers.
    static let headerByteCount = 28

    init(number: UInt32, seriesCount: UInt32, intervalNanoseconds: Int64, sentAt: Int64) {
        (self.number, self.seriesCount) = (number, seriesCount)
        (self.intervalNanoseconds, self.sentAt) = (intervalNanoseconds, sentAt)
    }

    /// Reads a probe; `nil` if `bytes` are too few.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        number = bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)
        seriesCount = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        intervalNanoseconds = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        sentAt = bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)
    }

    /// Writes the probe to the beginning of `bytes`, in the byte order of this host.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeBytes(of: number, toByteOffset: 0, as: UInt32.self)
        bytes.storeBytes(of: seriesCount, toByteOffset: 4, as: UInt32.self)
        bytes.storeBytes(of: intervalNanoseconds, toByteOffset: 8, as: Int64.self)
        bytes.storeBytes(of: sentAt, toByteOffset: 16, as: Int64.self)
    }
}
