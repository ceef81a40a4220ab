/// What clients need beyond the specification, keyed by what they say of themselves. The one place where clients differ.
public struct ClientDialect: Hashable, Sendable {
    /// Least length of a prelude's window, in milliseconds.
    ///
    /// LibVLC (VLC elsewhere than on Debian and Ubuntu, through live555) resets its clock when pictures come faster than
    /// its cache expects: with 500 ms none of four joins was damaged.
    public let minimumFastStartMilliseconds: Int64

    /// Bytes that name the key in each packet of SRTP (MKI): live555 understands no packet and no key without four of them,
    /// GStreamer 1.22 none with them.
    public let keyIdentifierByteCount: Int
    /// Whether it knows AES-GCM for SRTP: live555 does not.
    public let supportsGCM: Bool
    /// Whether it stores what it receives, or passes it on to programs that do: a recording must not begin with the compressed
    /// timestamps of a fast start.
    ///
    /// ffmpeg records for Frigate, Shinobi, Home Assistant and others, but it names itself as ffplay and mpv do (`Lavf`), so it
    /// needs ``RequestedJoin`` in its URL, or one of these names by its option `-user_agent`.
    public let isRecorder: Bool

    /// - Parameter userAgent: the `User-Agent` of the client's requests, if it sends one.
    public init(userAgent: String?) {
        minimumFastStartMilliseconds = userAgent?.hasPrefix("LibVLC/") == true ? 500 : 0
        let isLive555 = userAgent?.contains("LIVE555 Streaming Media") == true
        keyIdentifierByteCount = isLive555 ? 4 : 0
        supportsGCM = !isLive555
        let name = userAgent?.lowercased() ?? ""
        isRecorder = Self.recorderNames.contains { name.contains($0) }
    }

    /// Parts of recorders' `User-Agent`, in lower case.
    private static let recorderNames = [
        // As their sources write it: `openRTSP (LIVE555 Streaming Media v…)`, `ZoneMinder/1.36.33`, `Moonfire NVR …`.
        "openrtsp", "zoneminder/", "nvr",
        // Relays that record, or feed recorders: `go2rtc/1.9.4`; `gortsplib` is MediaMTX and Kerberos.
        "go2rtc/", "gortsplib",
        // `Synology Surveillance Station`.
        "surveillance",
        // By the names of the products, whose agents are not documented.
        "agentdvr", "agent dvr", "blue iris", "blueiris", "frigate", "ispy", "milestone", "network optix", "nx witness",
        "recorder", "shinobi", "xprotect",
    ]
}
