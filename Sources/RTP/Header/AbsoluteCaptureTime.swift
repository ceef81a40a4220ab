import Media
import Wire

/// The RTP header extension abs-capture-time: when what a packet carries was captured, by the sender's wall clock.
///
/// In the short form, without a clock offset, as the only element of an extension of the one-byte form (RFC 8285, 4.2):
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
    /// Its local identifier in what Apus sends (1…14).
    @inlinable
    public static var identifier: UInt8 { 1 }
    /// What it adds to a header of ours.
    @inlinable
    public static var byteCount: Int { 16 }

    /// Profile of extensions in the one-byte form.
    static let oneByteProfile: UInt16 = 0xBEDE

    /// The four words that follow the fixed header.
    @inlinable
    static func words(_ time: NTPTime) -> (UInt32, UInt32, UInt32, UInt32) {
        let value = time.rawValue
        // The element's length is counted less one.
        let first = UInt32(identifier) << 28 | 7 << 24 | UInt32(truncatingIfNeeded: value >> 40)
        return (0xBEDE_0003, first, UInt32(truncatingIfNeeded: value >> 8), UInt32(truncatingIfNeeded: value << 24))
    }

    /// The time in a received header; `nil` where its extension holds none under this identifier.
    public static func time(in header: Header, identifier: UInt8) -> NTPTime? {
        guard let found = header.headerExtension, found.profile == oneByteProfile else { return nil }
        var reader = ByteReader(found.data.rawSpan)
        while let head = reader.uint8() {
            // A zero is padding. What follows an identifier of 15 is not to be read (RFC 8285, 4.2).
            if head == 0 { continue }
            guard head >> 4 != 15, let element = reader.take(Int(head & 0x0F) + 1) else { return nil }
            guard head >> 4 == identifier else { continue }
            // The long form has a clock offset behind the time.
            var content = ByteReader(element)
            return content.uint64().map { NTPTime(rawValue: $0) }
        }
        return nil
    }
}
