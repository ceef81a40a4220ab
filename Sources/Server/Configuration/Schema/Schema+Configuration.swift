import Media
import Reactor
import SDP

// The options of the whole server: name, accepted values, unit, and the reason to change it.
// The defaults are in the members of `Configuration`.

extension Schema<Configuration> {
    static var configuration: Self {
        Schema.serverRestart([
            .section("server", \.server, .server, reason: "Where clients connect."),
            .section("tls", \.tls, .tls, reason: "Whether clients can use TLS (rtsps://), and with which certificate."),
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
            .named(
                "users", \.users, .user, default: Configuration.User.init,
                expecting: "1 to 64 letters, digits, `-`, `_` and `.`", atMost: 1000, example: "viewer",
                "The users and their rights, by name. Without users, clients on this host need no password, and other hosts need "
                    + "the password that the first start creates (see access.open). With users, all other clients get an answer "
                    + "to OPTIONS only.",
                isValid: isUserName
            ).takingEffect(.live),
            .section("rtp", \.rtp, .rtp, reason: "RTP packets, and the UDP ports that they are sent from."),
            .section("multicast", \.multicast, .multicast, reason: "The multicast groups that multicast paths get."),
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
            .named(
                "paths", \.paths, .path, default: Configuration.Path.init,
                expecting:
                    "1 to 64 letters, digits, `-`, `_` and `.`, with `/` between parts, the last of which is not "
                    + "`track` and a number",
                atMost: 1000,
                "The streams, by name: `cam` is served at rtsp://host:8554/cam, `cam/sub` at …/cam/sub. Without any, "
                    + "`cam` is the first camera that works, or the test card if no camera works.",
                isValid: isPathName),
        ])
    }
}

/// Whether a stream may have this name: it needs no escape in a URL, and is not the name of a track.
func isPathName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.utf8.count <= 64 && parts.allSatisfy(isPathPart)
        && parts.last.map { TrackID.isControlName($0, maximumDigitCount: .max) } == false
}

private func isPathPart(_ part: Substring) -> Bool {
    !part.isEmpty && part != "." && part != ".."
        && part.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
            default: false
            }
        }
}

extension Schema<Configuration.Server> {
    static var server: Self {
        Schema.serverRestart([
            .integer(
                "port", \.port, in: 1...65_535, unit: "TCP port",
                "8554 is the usual port of servers that do not run as root; 554 is the standard port of RTSP."),
            .address(
                "address", \.address, "Address to listen on; empty for all addresses of this host, IPv6 and IPv4."),
            .integer(
                "sessionTimeoutSeconds", \.sessionTimeoutSeconds, in: 5...3600, unit: "seconds",
                "The session timeout that clients are told: they send a keepalive before it expires, and a session without "
                    + "one ends after 1.25 times this. 60 is the default of RFC 2326, with which clients are tested."),
        ])
    }
}

extension Schema<Configuration.Log> {
    static var log: Self {
        Schema.live([
            .choice("level", \.level, "Least severe level that is logged."),
            .integer(
                "statusSeconds", \.statusSeconds, in: 0...86_400, unit: "seconds",
                "How often the status of streams and event loops is logged, as after SIGUSR1: what was sent, and how long "
                    + "frames took in each stage; 0 for never."),
        ])
    }
}

extension Schema<Configuration.Control> {
    static var control: Self {
        Schema.serverRestart([
            .value(
                "socket", \.socket, expecting: "auto, a path that begins with / and has at most 107 bytes, or \"\"",
                "Path of a Unix socket that root, and the user that runs the server, may use. auto is "
                    + "$XDG_RUNTIME_DIR/apus/control-PORT, or /run/apus/control-PORT for root and if that variable is not set; "
                    + "PORT is server.port. \"\" for no socket.",
                parse: { text, _ in
                    let isPath = text.hasPrefix("/") && isLine(text, maximumBytes: 107)
                    return text.isEmpty || text == "auto" || isPath ? text : nil
                }, show: quoted)
        ])
    }
}

extension Schema<Configuration.Loops> {
    static var loops: Self {
        Schema.serverRestart([.integer("threads", \.threads, in: 0...256, "Number of event loops; 0 for one per core.")]
        )
    }
}

extension Schema<Configuration.Limits> {
    static var limits: Self {
        Schema.serverRestart([
            .integer(
                "requestHeadBytes", \.requestHeadBytes, in: 1024...1_048_576, unit: "bytes",
                "Length of the request line and the headers; real clients send less than 2 KB."),
            .integer(
                "requestHeaders", \.requestHeaders, in: 16...1024,
                "Number of headers of one request; real clients send 5 to 15."),
            .integer("urlBytes", \.urlBytes, in: 256...16_384, unit: "bytes", "Length of the URL of a request."),
            .integer(
                "bodyBytes", \.bodyBytes, in: 1024...1_048_576, unit: "bytes",
                "Length of the body of a request; a larger one is rejected (413) before any of it is stored."),
            .integer(
                "requestHeadSeconds", \.requestHeadSeconds, in: 1...300, unit: "seconds",
                "Time from the first byte of a request to the end of its headers; stops clients that send very slowly."),
            .integer(
                "idleConnectionSeconds", \.idleConnectionSeconds, in: 5...3600, unit: "seconds",
                "Time without a request after which a connection without a session is closed."),
            .integer(
                "handshakeSeconds", \.handshakeSeconds, in: 1...300, unit: "seconds",
                "Time from a connection for rtsps:// to the end of its TLS handshake, which takes two round trips."),
            .integer(
                "handshakeBytes", \.handshakeBytes, in: 4096...1_048_576, unit: "bytes",
                "Bytes that a client may send before its TLS handshake is complete; real clients send less than 3 KB."),
            .integer(
                "connections", \.connections, in: 16...1_000_000,
                "Connections of the whole server, including loopback; more are closed at once. The default is twice the "
                    + "default of viewers, for clients that do not play. Raise it together with viewers."),
            .integer(
                "connectionsPerAddress", \.connectionsPerAddress, in: 1...65_536,
                "Connections from one address at the same time; loopback is exempt. Raise it for many viewers behind one NAT."
            ),
            .integer(
                "connectionsPerNetwork", \.connectionsPerNetwork, in: 1...1_000_000,
                "Connections from one IPv6 network (/64) at the same time; loopback is exempt. One host can use every "
                    + "address of its /64, and all hosts of a home or an office share one: the default is "
                    + "connectionsPerAddress for four hosts."
            ),
            .integer(
                "unfinishedHandshakes", \.unfinishedHandshakes, in: 1...1_000_000,
                "Connections whose TLS handshake is not complete, including loopback; more are closed at once. Each uses "
                    + "44 KB for up to handshakeSeconds: 512 use 23 MB. A handshake takes two round trips."),
            .integer(
                "sessionsPerConnection", \.sessionsPerConnection, in: 1...64,
                "Sessions on one connection; players need 1. Further ones get 453."),
            .integer(
                "transportOffers", \.transportOffers, in: 1...256,
                "Transports of one SETUP request that are tried, because each may need keys and ports; clients offer 1 to 4."
            ),
            .integer(
                "viewers", \.viewers, in: 1...1_000_000,
                "Viewers of the whole server; further ones get 453. Each uses about 10 KB and one or two file descriptors."
            ),
            .integer(
                "viewerLagMilliseconds", \.viewerLagMilliseconds, in: 50...10_000, unit: "milliseconds of media",
                "A TCP viewer that is further behind than this skips to the next keyframe, so that it is live again."),
            .integer(
                "viewerStallSeconds", \.viewerStallSeconds, in: 1...300, unit: "seconds",
                "A TCP viewer that receives no byte for this long is disconnected."),
        ])
    }
}

extension Schema<Configuration.RTP> {
    static var rtp: Self {
        Schema.serverRestart([
            .integer(
                "maximumPacketBytes", \.maximumPacketBytes, in: 256...Configuration.RTP.longestPacketBytes,
                unit: "bytes of UDP payload",
                "1400 leaves space for header extensions, an SRTP tag and tunnels; 1452 is the maximum of IPv6 on Ethernet."
            ),
            .integer(
                "firstUDPPort", \.firstUDPPort, in: 1024...65_534, unit: "UDP port",
                "First UDP port for RTP and RTCP; each event loop uses two."),
            .integer(
                "lastUDPPort", \.lastUDPPort, in: 1025...65_535, unit: "UDP port",
                "Last UDP port for RTP and RTCP. Open this range in your firewall."),
            .integer(
                "dscp", \.dscp, in: 0...63,
                "Differentiated services code point (DSCP) of media packets, such as 34 (AF41) if your network uses it."
            ),
            .integer(
                "separateSockets", \.separateSockets, in: 0...65_536,
                "Client addresses per event loop that may get a separate UDP socket. They get one while a slow network "
                    + "interface fills the send buffer that all clients share, because it would delay all of them. 512 use "
                    + "at most 10 MB and 512 file descriptors; 0 for none."),
        ])
    }
}

extension Schema<Configuration.Pacing> {
    static var pacing: Self {
        Schema.serverRestart([
            .integer(
                "intervalPercent", \.intervalPercent, in: 0...90, unit: "percent of the time between two frames",
                "Time over which a large frame is sent, in steps of 2 ms; 0 sends it at once, which is best if no packets "
                    + "are lost."
            ),
            .integer(
                "leastKilobytes", \.leastKilobytes, in: 2...10_000, unit: "kilobytes",
                "Smaller frames are sent at once."),
        ])
    }
}

extension Schema<Configuration.Multicast> {
    static var multicast: Self {
        Schema.live([
            .group(
                "firstGroup", \.firstGroup,
                "Group of the first multicast path in alphabetical order; the second path gets the next group, and so on."
            ),
            .group("lastGroup", \.lastGroup, "Last group that a path may get."),
            .integer(
                "port", \.port, in: 1024...65_500, unit: "UDP port, even",
                "RTP port of a path's first track; RTCP is one above, the next track two above, MPEG-TS eight above."
            ),
            .integer(
                "timeToLive", \.timeToLive, in: 0...255, unit: "hops",
                "Time to live (TTL) of multicast packets: 1 keeps them in the local network, 0 on this host."),
            .address(
                "interface", \.interface,
                "Address of the network interface to send from; empty for the interface of the default route."),
        ])
    }
}

extension Schema<Configuration.Join> {
    static var join: Self {
        Schema.live([
            .choice(
                "mode", \.mode, formerWords: formerJoinWords,
                "auto: a viewer first gets the frames since the last keyframe, compressed into a short time (fast start), "
                    + "if they are within the limits below; otherwise, and for clients that are known as recorders, as "
                    + "with keyframe. fastStart: the same, also for recorders. keyframe: only live frames, from the next "
                    + "keyframe, which the encoder is asked for. A client can choose with ?join=fast or ?join=keyframe in "
                    + "its URL."),
            .integer(
                "fastStartMilliseconds", \.fastStartMilliseconds, in: 100...1000, unit: "milliseconds",
                "Time into which the older frames are compressed. Below 100 mpv stalls; VLC with live555 works best with 500."
            ).formerly("preludeMilliseconds"),
            .integer(
                "minimumFastStartFrames", \.minimumFastStartFrames, in: 0...300, unit: "frames",
                "If there are fewer frames since the last keyframe, the fast start begins at the keyframe before: players "
                    + "analyse this many frames before they show one, and the time for which they wait stays as latency."
            ).formerly("minimumPreludeFrames"),
            .integer(
                "maximumFastStartFrames", \.maximumFastStartFrames, in: 1...10_000, unit: "frames",
                "A fast start with more frames is not sent: a small device takes too long to decode them."
            ).formerly("maximumPreludeFrames"),
            .integer(
                "maximumFastStartBytes", \.maximumFastStartBytes, in: 10_000...100_000_000, unit: "bytes",
                "A fast start with more bytes is not sent: if it takes longer than 200 ms to send, the rest stays as latency."
            ).formerly("maximumPreludeBytes"),
            .integer(
                "totalFastStartBytes", \.totalFastStartBytes, in: 1_000_000...4_000_000_000, unit: "bytes",
                "Memory for all fast starts that are being sent; viewers that join at the same frame share one. If none is "
                    + "left, a viewer starts as with keyframe. The default is 64 times the default of "
                    + "maximumFastStartBytes."
            ).formerly("totalPreludeBytes"),
        ])
    }
}

extension Schema<Configuration.Ring> {
    static var ring: Self {
        Schema.serverRestart([
            .integer(
                "seconds", \.seconds, in: 1...600, unit: "seconds of media",
                "Must be longer than the longest time between two keyframes, so that a viewer that joins finds one."),
            .integer(
                "bytes", \.bytes, in: 1_000_000...4_000_000_000, unit: "bytes", "Limit for all bitrates."),
        ])
    }
}

extension Schema<Configuration.RandomAccess> {
    static var keyframeRequests: Self {
        Schema.serverRestart([
            .integer("burst", \.burst, in: 1...100, "Requests that are granted without a pause."),
            .integer(
                "intervalMilliseconds", \.intervalMilliseconds, in: 0...60_000, unit: "milliseconds",
                "Pause after which one more request is granted."),
        ])
    }
}

extension Entry {
    fileprivate static func address(
        _ key: String, _ member: WritableKeyPath<Section, String>, _ reason: String
    ) -> Self {
        value(
            key, member, expecting: "a numeric address of this host, or \"\"", reason,
            parse: { text, _ in text.isEmpty || SocketAddress(text, port: 0) != nil ? text : nil }, show: quoted)
    }

    fileprivate static func group(
        _ key: String, _ member: WritableKeyPath<Section, MulticastGroup>, _ reason: String
    ) -> Self {
        value(
            key, member, expecting: "an IPv4 multicast address from 224.0.0.0 to 239.255.255.255", reason,
            parse: { text, _ in MulticastGroup(text) }, show: \.description)
    }
}
