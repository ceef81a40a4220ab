import Reactor

// Every option of the configuration: its name, what it expects, its unit, and why one would change it.
// Defaults stand with the members of `Configuration`.

extension Schema<Configuration> {
    static var configuration: Self {
        Schema([
            .section("server", \.server, .server, "Where clients connect."),
            .section("tls", \.tls, .tls, "Whether clients come through TLS (rtsps://), and with which certificate."),
            .section("log", \.log, .log, "What is told on standard error."),
            .section("control", \.control, .control, "How a running server is spoken to: `apus set`."),
            .section("loops", \.loops, .loops, "The threads that serve viewers."),
            .section(
                "limits", \.limits, .limits,
                "What any one client may take, so that no one costs the others anything. "
                    + "The defaults are several times what known clients need."),
            .section(
                "access", \.access, .access, "Who is let in, and how they prove who they are."),
            .named(
                "users", \.users, .user, default: Configuration.User.init,
                expecting: "1 to 64 letters, digits, `-`, `_` and `.`", atMost: 1000, example: "viewer",
                "Who may do what, by name. Without any, this host watches freely, and others with the password that is made "
                    + "at the first start (access.open). With some, nobody else gets an answer, but to OPTIONS.",
                isValid: isUserName),
            .section("rtp", \.rtp, .rtp, "Packets, and the ports that they leave from."),
            .section("multicast", \.multicast, .multicast, "The groups that paths that are multicast are given."),
            .section(
                "pacing", \.pacing, .pacing,
                "How large pictures are spread over time on UDP: IDR pictures, for Wi-Fi, switches and receivers that drop "
                    + "bursts. What is spread arrives later."),
            .section("join", \.join, .join, "How a viewer gets its first picture."),
            .section("ring", \.ring, .ring, "How much of each stream is kept, for joins and for slow viewers."),
            .section(
                "randomAccess", \.keyframeRequests, .keyframeRequests,
                "How often viewers may make an encoder start a new group of pictures. Ten a second cost a "
                    + "2 Mbit/s picture 3 QP and 11 % of its bits, so nobody's joining may take more than this."),
            .named(
                "paths", \.paths, .path, default: Configuration.Path.init,
                expecting:
                    "1 to 64 letters, digits, `-`, `_` and `.`, with `/` between parts, the last of which is not "
                    + "`track` and a number",
                atMost: 1000,
                "The streams, by name: `cam` is served at rtsp://host:8554/cam, `cam/sub` at …/cam/sub. Without any, "
                    + "`cam` is the first camera that works, or else the test card.",
                isValid: isPathName),
        ])
    }
}

/// Whether a stream may be served at `/name`: letters that no client has to escape, and no track of another stream.
func isPathName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.utf8.count <= 64 && parts.allSatisfy(isPathPart) && parts.last.map(isTrackName) == false
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

/// Whether clients call the tracks of a stream so (`RequestURL`).
private func isTrackName(_ part: Substring) -> Bool {
    part.hasPrefix("track") && part.utf8.count > 5 && part.utf8.dropFirst(5).allSatisfy { (0x30...0x39).contains($0) }
}

extension Schema<Configuration.Server> {
    static var server: Self {
        Schema([
            .integer(
                "port", \.port, in: 1...65_535, unit: "TCP port",
                "8554 is what servers without special rights use; 554 is RTSP's own."),
            .address("address", \.address, "Address to listen on; empty for all of the host's, IPv6 and IPv4."),
            .integer(
                "sessionTimeoutSeconds", \.sessionTimeoutSeconds, in: 5...3600, unit: "seconds",
                "Told to clients, which send a sign of life before it is over; a session ends after 1.25 times this. "
                    + "60 is RFC 2326's default and what clients are tested with."),
        ])
    }
}

extension Schema<Configuration.Log> {
    static var log: Self {
        Schema([
            .choice("level", \.level, "Messages below this level are not written."),
            .integer(
                "statusSeconds", \.statusSeconds, in: 0...86_400, unit: "seconds",
                "How often the status of streams and event loops is logged, as SIGUSR1 does it: what was sent, and what "
                    + "pictures spent where; 0 never."),
        ])
    }
}

extension Schema<Configuration.Control> {
    static var control: Self {
        Schema([
            .value(
                "socket", \.socket, expecting: "auto, a path that begins with / and has at most 107 bytes, or \"\"",
                "Socket in the file system, for the user who runs the server and for root. auto is "
                    + "$XDG_RUNTIME_DIR/apus/control-PORT, or /run/apus/control-PORT for root and where there is no "
                    + "such folder, with the server.port of each server; \"\" makes none.",
                parse: { text, _ in
                    let isPath = text.hasPrefix("/") && isLine(text, maximumBytes: 107)
                    return text.isEmpty || text == "auto" || isPath ? text : nil
                }, show: quoted)
        ])
    }
}

extension Schema<Configuration.Loops> {
    static var loops: Self {
        Schema([.integer("threads", \.threads, in: 0...256, "Event loops; 0 for one per core.")])
    }
}

extension Schema<Configuration.Limits> {
    static var limits: Self {
        Schema([
            .integer(
                "requestHeadBytes", \.requestHeadBytes, in: 1024...1_048_576, unit: "bytes",
                "Request line and headers; real ones stay under 2 KB."),
            .integer(
                "requestHeaders", \.requestHeaders, in: 16...1024, "Headers of one request; real ones have 5 to 15."),
            .integer("urlBytes", \.urlBytes, in: 256...16_384, unit: "bytes", "Length of a request's URL."),
            .integer(
                "bodyBytes", \.bodyBytes, in: 1024...1_048_576, unit: "bytes",
                "Body of a request; a larger one is refused (413) before anything of it is kept."),
            .integer(
                "requestHeadSeconds", \.requestHeadSeconds, in: 1...300, unit: "seconds",
                "From a request's first byte to the end of its headers; stops clients that dribble."),
            .integer(
                "idleConnectionSeconds", \.idleConnectionSeconds, in: 5...3600, unit: "seconds",
                "Silence after which a connection without a session is closed."),
            .integer(
                "handshakeSeconds", \.handshakeSeconds, in: 1...300, unit: "seconds",
                "From a connection to rtsps:// to the end of its TLS handshake, which takes two round trips."),
            .integer(
                "handshakeBytes", \.handshakeBytes, in: 4096...1_048_576, unit: "bytes",
                "What a client may send before its TLS handshake is complete; real ones send under 3 KB."),
            .integer(
                "connections", \.connections, in: 16...1_000_000,
                "Connections of the whole server, loopback included; more are closed at once. The default is twice the default "
                    + "of viewers, which leaves room for clients that only ask. Raise it together with viewers."),
            .integer(
                "connectionsPerAddress", \.connectionsPerAddress, in: 1...65_536,
                "Connections from one address at a time; loopback is exempt. Raise it for many viewers behind one NAT."),
            .integer(
                "connectionsPerNetwork", \.connectionsPerNetwork, in: 1...1_000_000,
                "Connections from one IPv6 network (/64) at a time; loopback is exempt. One host can use every address of its "
                    + "/64, and the hosts of a home or an office share one: the default allows four of them connectionsPerAddress."
            ),
            .integer(
                "unfinishedHandshakes", \.unfinishedHandshakes, in: 1...1_000_000,
                "Connections whose TLS handshake is not complete, loopback included; more are closed at once. Each costs 44 KB "
                    + "for up to handshakeSeconds: 512 cost 23 MB. A handshake takes two round trips."),
            .integer(
                "sessionsPerConnection", \.sessionsPerConnection, in: 1...64,
                "Sessions on one connection; players need 1. More are answered 453."),
            .integer(
                "transportOffers", \.transportOffers, in: 1...256,
                "Transports of one SETUP that are tried, because each may cost keys and ports; clients offer 1 to 4."),
            .integer(
                "viewers", \.viewers, in: 1...1_000_000,
                "Viewers of the whole server; more are answered 453. Each costs about 10 KB and a descriptor or two."),
            .integer(
                "viewerLagMilliseconds", \.viewerLagMilliseconds, in: 50...10_000, unit: "milliseconds of media",
                "A TCP viewer further behind than this skips to the next random access point, so that nobody "
                    + "watches the past."),
            .integer(
                "viewerStallSeconds", \.viewerStallSeconds, in: 1...300, unit: "seconds",
                "A TCP viewer that takes not a single byte for this long is let go."),
        ])
    }
}

extension Schema<Configuration.RTP> {
    static var rtp: Self {
        Schema([
            .integer(
                "maximumPacketBytes", \.maximumPacketBytes, in: 256...Configuration.RTP.longestPacketBytes,
                unit: "bytes of UDP payload",
                "1400 leaves room for header extensions, an SRTP tag and tunnels; 1452 is what IPv6 carries on Ethernet."
            ),
            .integer(
                "firstUDPPort", \.firstUDPPort, in: 1024...65_534, unit: "UDP port",
                "First of the ports for RTP and RTCP over UDP: a pair per event loop."),
            .integer(
                "lastUDPPort", \.lastUDPPort, in: 1025...65_535, unit: "UDP port",
                "Last of them. Let this range through your firewall."),
            .integer(
                "dscp", \.dscp, in: 0...63,
                "Differentiated services code point of media packets; 34 (AF41) where the network honours it."),
            .integer(
                "separateSockets", \.separateSockets, in: 0...65_536,
                "Client addresses per event loop that may get a UDP socket of their own. They get one while a slow network "
                    + "device holds the send buffer that all clients share; else that device would delay them all. 512 "
                    + "take at most 10 MB and 512 descriptors; 0 makes none."),
        ])
    }
}

extension Schema<Configuration.Pacing> {
    static var pacing: Self {
        Schema([
            .integer(
                "intervalPercent", \.intervalPercent, in: 0...90, unit: "percent of the time from picture to picture",
                "Over which such a picture leaves, in steps of 2 ms; 0 sends it at once, which is best where nothing is lost."
            ),
            .integer(
                "leastKilobytes", \.leastKilobytes, in: 2...10_000, unit: "kilobytes",
                "Pictures below this leave at once."),
        ])
    }
}

extension Schema<Configuration.Multicast> {
    static var multicast: Self {
        Schema([
            .group(
                "firstGroup", \.firstGroup,
                "Group of the first multicast path in alphabetical order; the next gets the next."),
            .group("lastGroup", \.lastGroup, "Last group that paths may get."),
            .integer(
                "port", \.port, in: 1024...65_500, unit: "UDP port, even",
                "RTP port of a path's first track; RTCP is one above, the next track two above, MPEG-TS eight above."
            ),
            .integer(
                "timeToLive", \.timeToLive, in: 0...255, unit: "routers",
                "1 stays in the local network, 0 on this host."),
            .address(
                "interface", \.interface,
                "Address of the interface to send through; empty for that of the default route."),
        ])
    }
}

extension Schema<Configuration.Join> {
    static var join: Self {
        Schema([
            .choice(
                "mode", \.mode,
                "auto: the pictures since the last random access point, squeezed into a short window, where that fits the "
                    + "limits below, else like keyframe; for clients that are known as recorders, keyframe. prelude: the "
                    + "same, for recorders too. keyframe: only live pictures, from the next random access point on, which "
                    + "the encoder is asked for. A client chooses by ?join=fast or ?join=keyframe in its URL."),
            .integer(
                "preludeMilliseconds", \.fastStartMilliseconds, in: 100...1000, unit: "milliseconds",
                "Window into which the past is squeezed. Below 100 mpv stalls; VLC with live555 likes 500."),
            .integer(
                "minimumPreludeFrames", \.minimumFastStartFrames, in: 0...300, unit: "pictures",
                "Where the last random access point is younger, the prelude starts at the one before: players probe on "
                    + "so many pictures, and what they wait for stays as delay."),
            .integer(
                "maximumPreludeFrames", \.maximumFastStartFrames, in: 1...10_000, unit: "pictures",
                "More are not replayed: a small device takes too long to decode them."),
            .integer(
                "maximumPreludeBytes", \.maximumFastStartBytes, in: 10_000...100_000_000, unit: "bytes",
                "More are not replayed: what takes longer than 200 ms to send stays as delay."),
            .integer(
                "totalPreludeBytes", \.totalFastStartBytes, in: 1_000_000...4_000_000_000, unit: "bytes",
                "Memory for all preludes that viewers have not taken yet; those who join at the same picture share one. A viewer "
                    + "for whom none is left starts as with keyframe. The default is 64 times the default of maximumPreludeBytes."
            ),
        ])
    }
}

extension Schema<Configuration.Ring> {
    static var ring: Self {
        Schema([
            .integer(
                "seconds", \.seconds, in: 1...600, unit: "seconds of media",
                "Longer than the longest group of pictures, so that a joining viewer finds a start."),
            .integer(
                "bytes", \.bytes, in: 1_000_000...4_000_000_000, unit: "bytes", "Upper bound, whatever the bitrate."),
        ])
    }
}

extension Schema<Configuration.RandomAccess> {
    static var keyframeRequests: Self {
        Schema([
            .integer("burst", \.burst, in: 1...100, "Requests that are granted at once."),
            .integer(
                "intervalMilliseconds", \.intervalMilliseconds, in: 0...60_000, unit: "milliseconds",
                "After which one more is granted."),
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
