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
        // The long form has a clock offset after the time.
        header.element(identifier).flatMap { element in
            var content = ByteReader(element.span.bytes)
            return content.uint64().map { NTPTime(rawValue: $0) }
        }
    }
}
