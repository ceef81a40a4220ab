/// What clients need beyond the specification, keyed by what they say of themselves. The one place where clients differ.
public struct ClientDialect: Hashable, Sendable {
    /// Least length of a prelude's window, in milliseconds.
    ///
    /// LibVLC (VLC elsewhere than on Debian and Ubuntu, through live555) resets its clock when pictures come faster than
    /// its cache expects: with 500 ms none of four joins was damaged.
    public let minimumPreludeMilliseconds: Int64

    /// Bytes that name the key in each packet of SRTP (MKI): live555 understands no packet and no key without four of them,
    /// GStreamer 1.22 none with them.
    public let keyIdentifierByteCount: Int
    /// Whether it knows AES-GCM for SRTP: live555 does not.
    public let knowsGCM: Bool

    /// - Parameter userAgent: the `User-Agent` of the client's requests, if it sends one.
    public init(userAgent: String?) {
        minimumPreludeMilliseconds = userAgent?.hasPrefix("LibVLC/") == true ? 500 : 0
        let isLive555 = userAgent?.contains("LIVE555 Streaming Media") == true
        keyIdentifierByteCount = isLive555 ? 4 : 0
        knowsGCM = !isLive555
    }
}
