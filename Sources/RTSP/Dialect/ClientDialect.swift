/// The workarounds that a client needs, selected by its `User-Agent`. All differences that `User-Agent` selects are here.
public struct ClientDialect: Hashable, Sendable {
    /// The minimum duration of the fast start, in milliseconds.
    ///
    /// LibVLC (VLC on systems other than Debian and Ubuntu, through live555) resets its clock if frames arrive faster than its
    /// cache expects. In a test with 500 ms, none of four joins was affected.
    public let minimumFastStartMilliseconds: Int64

    /// The length of the key identifier (MKI) in each SRTP packet. live555 accepts only packets and keys with four bytes,
    /// GStreamer 1.22 only those without an MKI.
    public let keyIdentifierByteCount: Int
    /// Whether the client supports AES-GCM for SRTP; live555 does not.
    public let supportsGCM: Bool
    /// Whether the client records the stream, or passes it on to programs that do. A recording must not begin with the
    /// compressed timestamps of a fast start.
    ///
    /// ffmpeg records for Frigate, Shinobi, Home Assistant and others, but it names itself as ffplay and mpv do (`Lavf`), so it
    /// needs ``RequestedJoin`` in its URL, or one of these names by its option `-user_agent`.
    public let isRecorder: Bool

    /// How the client asks for lost packets over UDP.
    public let repair: Repair

    /// How a client asks for lost packets, and how they are sent again.
    public enum Repair: Hashable, Sendable {
        /// It does not ask.
        case none
        /// As they were: libavformat (ffmpeg, ffplay, mpv, OpenCV, Frigate) drops packets of retransmission streams.
        case retransmission
        /// As they were, as often as it asks: Apus (`RetransmissionRequests`) drops what it receives twice.
        case repeatedRetransmission
        /// In an RTP stream of their own (RFC 4588): GStreamer asks for none without.
        case retransmissionStream
        /// It does not ask, but it waits for late packets and ignores copies: live555.
        case copies
    }

    /// Whether the client is known to try TCP if UDP is refused (461), and to play then as well as before. `apus measure` does not try it.
    public var fallsBackToTCP: Bool { isPlayer }

    /// Whether the client is known to play on if the picture's size changes at a keyframe: players with FFmpeg's libraries, GStreamer and
    /// live555. Recordings keep one size.
    public var survivesNewSizes: Bool { isPlayer && !isRecorder }

    /// Whether the client is known to use FFmpeg's libraries, GStreamer or live555.
    private var isPlayer: Bool { repair != .none && repair != .repeatedRetransmission }

    /// - Parameter userAgent: the `User-Agent` of the client's requests, if it sends one.
    public init(userAgent: String?) {
        minimumFastStartMilliseconds = userAgent?.hasPrefix("LibVLC/") == true ? 500 : 0
        let isLive555 = userAgent?.contains("LIVE555 Streaming Media") == true
        keyIdentifierByteCount = isLive555 ? 4 : 0
        supportsGCM = !isLive555
        repair =
            switch userAgent {
            // mpv receives through libavformat, too, and Frigate's ffmpeg is `FFmpeg Frigate/0.14`.
            case .some(let agent) where ["Lavf", "libmpv", "FFmpeg"].contains(where: agent.hasPrefix): .retransmission
            // Sources of other servers, and `apus measure`. `apus bench` asks for nothing, so that its viewers cost what they did.
            case "apus", "apus-measure": .repeatedRetransmission
            case .some(let agent) where agent.hasPrefix("GStreamer/"): .retransmissionStream
            case .some(let agent) where isLive555 || agent.hasPrefix("LibVLC/"): .copies
            default: .none
            }
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
        // Names of products with undocumented user agents.
        "agentdvr", "agent dvr", "blue iris", "blueiris", "frigate", "ispy", "milestone", "network optix", "nx witness",
        "recorder", "shinobi", "xprotect",
    ]
}
