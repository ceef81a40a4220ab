import Media
import Wire

/// The RTP header extension abs-capture-time: when the content of a packet was captured, on the sender's wall clock.
///
/// Apus sends the short form, without a clock offset: a 64-bit NTP time (RFC 5905).
public enum AbsoluteCaptureTime {
    public static let uri = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
    /// Bytes of the short form.
    static let byteCount = 8

    /// The time in a received header; `nil` if the header has no extension element with this identifier.
    public static func time(in header: Header, identifier: UInt8) -> NTPTime? {
        guard let found = header.headerExtension, found.profile == Header.Extension.oneByteProfile else { return nil }
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
