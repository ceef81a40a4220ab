import TestSupport

/// Attacks on the destination of media (RFC 2326, section 12.39).
extension Attack {
    static let transports: [Attack] = [
        refused(
            "media to another host", in: "RTSP/Server/TransportChoice.swift",
            guard: "encapsulation.mediaAddresses(of: peer).contains", status: 403,
            transports: [
                "RTP/AVP;unicast;client_port=7000-7001;destination=198.51.100.7",
                "RTP/AVP;unicast;destination=127.0.0.99;client_port=7000-7001",
                "RTP/AVP/UDP;unicast;client_port=7000-7001;destination=[2001:db8::7]",
            ]),
        Attack(
            "a forged source", in: "RTSP/Server/TransportChoice.swift",
            guard: "transport.source = source", effect: "200 without it", scope: .clear
        ) { target in
            let offer = "RTP/AVP;unicast;client_port=50998-50999;source=198.51.100.7;server_port=9-10;ssrc=1234ABCD"
            let answer = try target.logIn().request("SETUP", target.url("hall/track1"), ["Transport": offer])
            let transport = try answer.expect(200).header("Transport") ?? ""
            try verify(
                !transport.contains("198.51") && answer.serverPort != 9 && !transport.contains("1234ABCD"),
                transport)
        },
        refused(
            "invalid ports", in: "RTSP/Server/TransportChoice.swift", guard: "ports.rtp != 0, ports.rtcp != 0",
            status: 461,
            transports: ["RTP/AVP;unicast;client_port=0-1", "RTP/AVP;unicast;client_port=5000-0"]),
        refused(
            "one port for RTP and RTCP", in: "RTSP/Server/TransportChoice.swift", guard: "ports.rtp != ports.rtcp else",
            status: 461,
            transports: ["RTP/AVP;unicast;client_port=5000-5000"]),
        refused(
            "ports above 65 535, channels above 255", in: "RTSP/Headers/Transport+Grammar.swift",
            guard: "flatMap(Number.init(exactly:)) else { return nil }", status: 461,
            transports: ["RTP/AVP;unicast;client_port=70000-70001", "RTP/AVP/TCP;unicast;interleaved=256-257"]),
        refused(
            "the last port or channel, without room for RTCP", in: "RTSP/Headers/Transport+Grammar.swift",
            guard: "low == .max ? nil", status: 461,
            transports: ["RTP/AVP;unicast;client_port=65535", "RTP/AVP/TCP;unicast;interleaved=255"]),
        Attack(
            "another viewer's ports", in: "RTSPServer/Server/Registry.swift",
            guard: "state.destinations.isDisjoint(with: destinations)",
            effect: "461; the other viewer has no gap", scope: .clear
        ) { target in
            let port = target.records[0].ownPort ?? 0
            let offer = ["Transport": "RTP/AVP;unicast;client_port=\(port)-\(port + 1)"]
            try target.logIn().request("SETUP", target.url("hall/track1"), offer).expect(461)
        },
        Attack(
            "ports of a viewer that has gone", in: "RTSPServer/Sessions/ClientAddresses.swift",
            guard: "for destination in destinations { bySource[destination] = nil }", effect: "200", scope: .clear
        ) { target in
            let offer = ["Transport": "RTP/AVP;unicast;client_port=50996-50997"]
            try target.logIn().request("SETUP", target.url("hall/track1"), offer).expect(200)
            let isFree = try soon {
                try target.logIn().request("SETUP", target.url("hall/track1"), offer).status == 200
            }
            try verify(isFree, "the ports are still reserved")
        },
        Attack(
            "choosing the multicast group, port and TTL", in: "RTSPServer/Requests/MulticastSetup.swift",
            guard: "group: membership.group, ports: membership.ports, timeToLive: membership.timeToLive",
            effect: "200 with the server's values", scope: .clear
        ) { target in
            let socket = try target.logIn()
            let offer = "RTP/AVP;multicast;destination=239.9.9.9;port=9000-9001;ttl=255"
            let answer = try socket.request("SETUP", target.url("hall/track1"), ["Transport": offer]).expect(200)
            let transport = answer.header("Transport") ?? ""
            try verify(transport.contains("destination=239.255.42.") && transport.contains(";ttl=1"), transport)
            try verify(answer.transport("port") != 9000, transport)
        },
        refused(
            "multicast for a stream without a group", in: "RTSPServer/Requests/SessionSetup.swift",
            guard: "guard target.entry.options.multicast(of: request.encapsulation) != nil else", status: 461,
            transports: ["RTP/AVP;multicast"],
            path: "yard/gate/track1"),
        refused(
            "another RTP profile", in: "RTSP/Server/TransportChoice.swift",
            guard: "MediaProfile(rawValue: transport.profile).map(protection.admits)", status: 461,
            transports: ["RTP/SAVPF/TCP;unicast;interleaved=0-1", "RTP/AVPX/TCP;unicast;interleaved=0-1"]),
        refused(
            "recording mode", in: "RTSP/Server/TransportChoice.swift", guard: "transport.mode != .record", status: 461,
            transports: [
                "RTP/AVP/TCP;unicast;interleaved=0-1;mode=record",
                "RTP/AVP/TCP;unicast;interleaved=0-1;mode=\"RECEIVE\"",
            ]),
        Attack(
            "no Transport header", in: "RTSP/Server/TransportChoice.swift",
            guard: #"throw Refusal(.badRequest, reason: "Transport Missing")"#,
            effect: "400"
        ) { target in
            try target.logIn().request("SETUP", target.url("hall/track1")).expect(400)
        },
        refused(
            "media without TLS", in: "RTSP/Server/TransportChoice.swift",
            guard: "case .udp(_, let profile): profile.isSecure || self == .none", status: 461,
            transports: ["RTP/AVP;unicast;client_port=50994-50995", "RTP/AVP;multicast"], scope: .tls),
    ]

    private static func refused(
        _ name: String, in file: String, guard guardText: String, status: Int, transports: [String],
        scope: Scope = .all, path: String = "hall/track1"
    ) -> Attack {
        Attack(name, in: file, guard: guardText, effect: "\(status)", scope: scope) { target in
            let socket = try target.logIn()
            for transport in transports {
                try socket.request("SETUP", target.url(path), ["Transport": transport]).expect(status)
            }
        }
    }
}
