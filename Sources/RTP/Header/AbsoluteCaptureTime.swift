import Media
import Wire

/// The RTP header extension abs-capture-time: when the content of a packet was captured, on the sender's wall clock.
///
/// Apus sends the short form, without a clock offset, as the only element of a one-byte header extension (RFC 8285, 4.2):
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |             0xBEDE            |           length = 3          |
/// |  ID   | len=7 |                                               |
/// |                   NTP time (RFC 5905, 64 bits)                |
/// |               |                    padding                    |
/// ```
public enum AbsoluteCaptureTime {
    public static let uri = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
    /// The local identifier (1…14) of the extension in packets of Apus.
    @inlinable
    public static var identifier: UInt8 { 1 }
    /// Bytes that the extension adds to a header.
    @inlinable
    public static var byteCount: Int { 16 }

    /// The profile of one-byte header extensions.
    static let oneByteProfile: UInt16 = 0xBEDE

    /// The four words that follow the fixed header.
    @inlinable
    static func words(_ time: NTPTime) -> (UInt32, UInt32, UInt32, UInt32) {
        let value = time.rawValue
        // The element's length field holds the length minus one.
        let first = UInt32(identifier) << 28 | 7 << 24 | UInt32(truncatingIfNeeded: value >> 40)
        return (0xBEDE_0003, first, UInt32(truncatingIfNeeded: value >> 8), UInt32(truncatingIfNeeded: value << 24))
    }

    /// The time in a received header; `nil` if the header has no extension element with this identifier.
    public static func time(in header: Header, identifier: UInt8) -> NTPTime? {
        guard let found = header.headerExtension, found.profile == oneByteProfile else { return nil }
        var reader = ByteReader(found.data.rawSpan)
        while let head = reader.uint8() {
            // A zero byte is padding. An element with identifier 15 ends the elements (RFC 8285, 4.2).
            if head == 0 { continue }
            guard head >> 4 != 15, let element = reader.take(Int(head & 0x0F) + 1) else { return nil }
            guard head >> 4 == identifier else { continue }
            // The long form has a clock offset after the time.
            var content = ByteReader(element)
            return content.uint64().map { NTPTime(rawValue: $0) }
        }
        return nil
    }
}
