/// How a stream is carried over RTP.
public enum RTPEncapsulation: String, Hashable, Sendable {
    /// One RTP stream per track, each in its payload format (RFC 6184, RFC 3640).
    case tracks
    /// All tracks in one MPEG transport stream in one RTP stream (RFC 2250).
    case transportStream
}
