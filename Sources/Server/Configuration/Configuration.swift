/// All options of the server and its paths.
///
/// Each section has a file in `Sections/` with its values and their defaults, and a schema: the name, accepted values, unit,
/// reason and effect of each option. The decoder, the reference file and the difference between two configurations are made
/// from the schema.
public struct Configuration: Hashable, Sendable {
    public var server = Server()
    public var tls = TLS()
    public var http = HTTP()
    public var hls = HLS()
    public var rtmp = RTMP()
    public var srt = SRT()
    public var webrtc = WebRTC()
    public var log = Log()
    public var control = Control()
    public var loops = Loops()
    public var limits = Limits()
    public var access = Access()
    /// By name. Without users, clients on this host need no password, and other hosts need the viewer's password.
    public var users: [String: User] = [:]
    public var rtp = RTP()
    public var network = Network()
    public var multicast = Multicast()
    public var pacing = Pacing()
    public var join = Join()
    public var ring = Ring()
    public var keyframeRequests = KeyframeRequests()
    /// Web servers to which events are posted.
    public var webhooks: [Webhook] = []
    /// By name: `cam` is served at `/cam`.
    public var paths: [String: Path] = [:]

    public init() {}
}

extension Schema<Configuration> {
    static var configuration: Self {
        Schema(
            takingEffect: .serverRestart,
            .section("server", \.server, .server, reason: "Where clients connect."),
            .section(
                "tls", \.tls, .tls, reason: "Whether clients can use TLS (rtsps://), and with which certificate."),
            .section("http", \.http, .http, reason: "The web server, for browsers, scripts and monitoring."),
            .section(
                "hls", \.hls, .hls,
                reason:
                    "HLS at /PATH/index.m3u8, for phones, TVs and CDNs. Segments exist only while players ask for them."
            ),
            .section(
                "rtmp", \.rtmp, .rtmp,
                reason:
                    "RTMP and RTMPS, by which encoders such as OBS publish, and which many players play (docs/rtmp.md)."
            ),
            .section(
                "srt", \.srt, .srt,
                reason: "SRT, by which encoders send over the internet, and which VLC and others play (docs/srt.md)."),
            .section(
                "webrtc", \.webrtc, .webrtc,
                reason:
                    "WebRTC, by which browsers play with the least delay (WHEP), and publish (WHIP), at the addresses /PATH/whep and "
                    + "/PATH/whip of the web server (docs/webrtc.md)."),
            .section("log", \.log, .log, reason: "The log on standard error."),
            .section(
                "control", \.control, .control,
                reason: "The socket through which commands such as apus set reach the running server."),
            .section("loops", \.loops, .loops, reason: "The threads that serve viewers."),
            .section(
                "limits", \.limits, .limits,
                reason:
                    "What one client may use, so that no client can disturb the others. The defaults are several times what known "
                    + "clients need."),
            .section(
                "access", \.access, .access, reason: "Which clients may watch, and how they authenticate."),
            NamedSections(
                key: "users", member: \.users, schema: .user, makeDefault: Configuration.User.init,
                expectation: "1 to 64 letters, digits, `-`, `_` and `.`", isValid: isUserName, maximumCount: 1000,
                example: "viewer",
                reason:
                    "The users and their rights, by name. Without users, clients on this host need no password, and other hosts need "
                    + "the password that the first start creates (see access.open). With users, all other clients get an answer "
                    + "to OPTIONS only."
            ).entry.takingEffect(.live),
            .section("rtp", \.rtp, .rtp, reason: "RTP packets, and the UDP ports that they are sent from."),
            .section("network", \.network, .network, reason: "Networks that lose packets."),
            .section(
                "multicast", \.multicast, .multicast, reason: "The multicast groups that multicast paths get."),
            .section(
                "pacing", \.pacing, .pacing,
                reason:
                    "Spreads the packets of large frames (keyframes) over time on UDP, for Wi-Fi, switches and receivers that lose "
                    + "packets in bursts. Spread frames arrive later."),
            .section("join", \.join, .join, reason: "How a viewer that joins gets its first frame."),
            .section(
                "ring", \.ring, .ring,
                reason: "How much recent media each stream keeps, for viewers that join and for slow viewers."),
            .section(
                "keyframeRequests", \.keyframeRequests, .keyframeRequests,
                reason:
                    "How often viewers may make an encoder send a keyframe. Ten keyframes per second cost a 2 Mbit/s video 3 QP and "
                    + "11 % of its bits, so viewers that join must not cause more than this."
            ).formerly("randomAccess"),
            .sections(
                "webhooks", \.webhooks, .webhook, makeDefault: Configuration.Webhook.init, shortKey: "url", atMost: 16,
                item: "a URL such as https://HOST/PATH, or options with a url",
                "Web servers to which events are posted: what becomes of sources, viewers and publishers. docs/events.md describes "
                    + "the requests. access.connectAllow and connectDeny apply."
            ).takingEffect(.live),
            NamedSections(
                key: "paths", member: \.paths, schema: .path, makeDefault: Configuration.Path.init,
                expectation:
                    "up to 200 letters, digits, `-`, `_` and `.`, with `/` between up to 8 parts, the last of which is not `track` "
                    + "and a number, or a name that the web server will need (docs/publishing.md); a pattern ends with `*`",
                isValid: { isPathName($0) || isPublishPattern($0) }, maximumCount: 1000,
                reason:
                    "The streams, by name: `cam` is served at rtsp://host:8554/cam, `cam/sub` at …/cam/sub. A name with a star at its "
                    + "end, such as `live/*`, is a pattern: publishers create the paths that match it. Without any path, "
                    + "`cam` is the first camera that works, or the test card if no camera works."
            ).entry.takingEffect(.live))
    }
}
