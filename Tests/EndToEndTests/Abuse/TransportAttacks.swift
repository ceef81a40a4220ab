import TestSupport

/// Where media is to go (RFC 2326, section 12.39).
extension Attack {
    static let transports: [Attack] = [
        refused(
            "media for somebody else", "RTSP/Server/TransportChoice.swift",
            "encapsulation.mediaAddresses(of: peer).contains", 403,
            [
                "RTP/AVP;unicast;client_port=7000-7001;destination=198.51.100.7",
                "RTP/AVP;unicast;destination=127.0.0.99;client_port=7000-7001",
                "RTP/AVP/UDP;unicast;client_port=7000-7001;destination=[2001:db8::7]",
            ]),
        Attack(
            "a source that the server is not", "RTSP/Server/TransportChoice.swift",
            "transport.source = source", "200 without it", .clear
        ) { target in
            let offer = "RTP/AVP;unicast;client_port=50998-50999;source=198.51.100.7;server_port=9-10;ssrc=1234ABCD"
            let answer = try target.logIn().request("SETUP", target.url("hall/track1"), ["Transport": offer])
            let transport = try answer.expect(200).header("Transport") ?? ""
            try hold(
                !transport.contains("198.51") && answer.serverPort != 9 && !transport.contains("1234ABCD"),
                transport)
        },
        refused(
            "ports that are none", "RTSP/Server/TransportChoice.swift", "ports.rtp != 0, ports.rtcp != 0", 461,
            ["RTP/AVP;unicast;client_port=0-1", "RTP/AVP;unicast;client_port=5000-0"]),
        refused(
            "one port for both", "RTSP/Server/TransportChoice.swift", "ports.rtp != ports.rtcp else", 461,
            ["RTP/AVP;unicast;client_port=5000-5000"]),
        refused(
            "ports above 65 535, channels above 255", "RTSP/Headers/Transport+Grammar.swift",
            "flatMap(Number.init(exactly:)) else { return nil }", 461,
            ["RTP/AVP;unicast;client_port=70000-70001", "RTP/AVP/TCP;unicast;interleaved=256-257"]),
        refused(
            "the last port, the last channel, and none behind it", "RTSP/Headers/Transport+Grammar.swift",
            "low == .max ? nil", 461,
            ["RTP/AVP;unicast;client_port=65535", "RTP/AVP/TCP;unicast;interleaved=255"]),
        Attack(
            "another viewer's ports", "RTSPServer/Registry.swift", "state.destinations.isDisjoint(with: destinations)",
            "461; the other sees no gap", .clear
        ) { target in
            let port = target.records[0].ownPort ?? 0
            let offer = ["Transport": "RTP/AVP;unicast;client_port=\(port)-\(port + 1)"]
            try target.logIn().request("SETUP", target.url("hall/track1"), offer).expect(461)
        },
        Attack(
            "ports kept from all who come later", "RTSPServer/ServerLoop+Sessions.swift",
            "registry.release(session.destinations)", "200 once their owner has gone", .clear
        ) { target in
            let offer = ["Transport": "RTP/AVP;unicast;client_port=50996-50997"]
            try target.logIn().request("SETUP", target.url("hall/track1"), offer).expect(200)
            let isFree = try soon {
                try target.logIn().request("SETUP", target.url("hall/track1"), offer).status == 200
            }
            try hold(isFree, "nobody can have the ports")
        },
        Attack(
            "a group, its port and its reach", "RTSPServer/ServerLoop+Multicast.swift",
            "group: membership.group, ports: membership.ports, timeToLive: membership.timeToLive",
            "200 with the server's", .clear
        ) { target in
            let socket = try target.logIn()
            let offer = "RTP/AVP;multicast;destination=239.9.9.9;port=9000-9001;ttl=255"
            let answer = try socket.request("SETUP", target.url("hall/track1"), ["Transport": offer]).expect(200)
            let transport = answer.header("Transport") ?? ""
            try hold(transport.contains("destination=239.255.42.") && transport.contains(";ttl=1"), transport)
            try hold(answer.transport("port") != 9000, transport)
        },
        refused(
            "a group of a stream that has none", "RTSPServer/ServerLoop+Sessions.swift",
            "guard entry.options.multicast(of: request.encapsulation) != nil else", 461, ["RTP/AVP;multicast"],
            path: "yard/gate/track1"),
        refused(
            "another profile", "RTSP/Server/TransportChoice.swift",
            "MediaProfile(rawValue: transport.profile).map(protection.admits)", 461,
            ["RTP/SAVPF/TCP;unicast;interleaved=0-1", "RTP/AVPF/TCP;unicast;interleaved=0-1"]),
        refused(
            "recording", "RTSP/Server/TransportChoice.swift", "transport.mode != .record", 461,
            ["RTP/AVP/TCP;unicast;interleaved=0-1;mode=record", "RTP/AVP/TCP;unicast;interleaved=0-1;mode=\"RECEIVE\""]),
        Attack(
            "no transport", "RTSP/Server/TransportChoice.swift",
            #"throw Refusal(.badRequest, reason: "Transport Missing")"#,
            "400"
        ) { target in
            try target.logIn().request("SETUP", target.url("hall/track1")).expect(400)
        },
        refused(
            "media outside TLS", "RTSP/Server/TransportChoice.swift", "case .udp(_, .plain), .multicast: self == .none",
            461,
            ["RTP/AVP;unicast;client_port=50994-50995", "RTP/AVP;multicast"], .tls),
    ]

    private static func refused(
        _ name: String, _ file: String, _ guardian: String, _ status: Int, _ transports: [String],
        _ scope: Scope = .all, path: String = "hall/track1"
    ) -> Attack {
        Attack(name, file, guardian, "\(status)", scope) { target in
            let socket = try target.logIn()
            for transport in transports {
                try socket.request("SETUP", target.url(path), ["Transport": transport]).expect(status)
            }
        }
    }
}
