import Foundation
import RTP
import RTSP
import SRTP
import TestSupport

/// Attacks on the exchange of SRTP keys, which needs TLS (RFC 4567).
extension Attack {
    static let keys: [Attack] = [
        Attack(
            "SRTP for a client without TLS", in: "RTSP/Server/TransportChoice.swift",
            guard: "!profile.isSecure || self == .connectionOrSRTP", effect: "461", scope: .clear
        ) { target in
            let socket = try target.logIn()
            let description = try socket.request("DESCRIBE", target.url("hall")).expect(200)
            try verify(!description.body.contains("mikey"), "the description contains a key without TLS")
            try socket.request("SETUP", target.url("hall/track1"), offer(50_986)).expect(461)
        },
        Attack(
            "the same key for a second session", in: "RTSPServer/Sessions/AnnouncedKeys.swift",
            guard: "announced[place].tracks[track.index] = nil", effect: "461", scope: .tls
        ) { target in
            let socket = try target.logIn()
            _ = try keyMessage(of: "hall", on: socket, target)
            try socket.request("SETUP", target.url("hall/track1"), offer(50_988)).expect(200)
            try socket.request("SETUP", target.url("hall/track1"), offer(50_984)).expect(461)
        },
        Attack(
            "an invalid MIKEY message", in: "RTSP/KeyManagement/KeyManagementHeader.swift",
            guard: "guard let data = mikeyData(in: value) else", effect: "463", scope: .tls
        ) { target in
            let socket = try target.logIn()
            _ = try keyMessage(of: "hall", on: socket, target)
            for value in [
                "prot=mikey;data=\"?\"", "prot=sdes;data=\"AQAF\"", "\"", String(repeating: "A=;", count: 2_000),
            ] {
                try socket.request("SETUP", target.url("hall/track1"), offer(50_982, key: value)).expect(463)
            }
        },
        Attack(
            "a key with the null cipher", in: "RTSP/KeyManagement/MIKEYMessage+MasterKey.swift",
            guard: "throw .unservedPolicy(parameter: parameter.type, value: parameter.value)", effect: "463",
            scope: .tls
        ) { target in
            let socket = try target.logIn()
            var message = try keyMessage(of: "hall", on: socket, target)
            // The policy's first parameter is the cipher: type, length, value.
            guard let cipher = message.firstRange(of: [0, 1, 1, 1, 1, 16]) else {
                throw Breach(description: "no policy in \(Array(message))")
            }
            message[cipher.lowerBound + 2] = 0
            let value = "prot=mikey;uri=\"\";data=\"\(message.base64EncodedString())\""
            try socket.request("SETUP", target.url("hall/track1"), offer(50_980, key: value)).expect(463)
        },
        Attack(
            "SRTP of a publisher without TLS", in: "RTSP/Server/ServerConnection+Publishing.swift",
            guard: "guard mediaProtection == .connectionOrSRTP else { throw .srtpUnavailable(mediaProtection) }",
            effect: "461 with this reason", scope: .usersInTheClear
        ) { target in
            let answer = try Publisher(of: "live/gate", on: target).announce(SecurePackets(seed: 0).description)
            try verify(try answer.expect(461).head.contains("SRTP needs rtsps://"), answer.head)
        },
        Attack(
            "packets with another key than that of the publisher", in: "CSRTPCiphers/CounterMode.c",
            guard: "functions.CRYPTO_memcmp(digest, tag, counter_mode_tag) == 0", effect: "viewers do not receive them",
            scope: .usersInTLS
        ) { target in
            let (own, other) = (try SecurePackets(seed: 0), try SecurePackets(seed: 1))
            let publisher = try Publisher(of: "live/gate", on: target)
            try publisher.announce(own.description).expect(200)
            try publisher.setUp("RTP/SAVP/TCP;unicast;interleaved=0-1").expect(200)
            try publisher.record().expect(200)
            publisher.send(own.sealed(publisher.keyframe()))
            let viewer = try PublicationViewer(of: "live/gate", on: target)
            for _ in 0..<10 { publisher.send(other.sealed(publisher.keyframe(fill: 6))) }
            publisher.send(publisher.keyframe(fill: 6))
            publisher.send(own.sealed(publisher.keyframe(fill: 7)))
            try viewer.expectFrame(filledWith: 7, not: 6)
        },
    ]

    private static func offer(_ port: Int, key: String? = nil) -> [String: String] {
        var headers = ["Transport": "RTP/SAVP;unicast;client_port=\(port)-\(port + 1)"]
        headers["KeyMgmt"] = key
        return headers
    }

    /// Returns the key message of the description's first track.
    private static func keyMessage(of path: String, on socket: RTSPSocket, _ target: Target) throws -> Data {
        let text = try socket.request("DESCRIBE", target.url(path)).expect(200).body
        guard let match = text.firstMatch(of: /a=key-mgmt:mikey (\S+)/),
            let message = Data(base64Encoded: String(match.1))
        else { throw Breach(description: "no key in the description: \(text)") }
        return message
    }
}

/// Encrypts the packets of a ``Publisher`` by SRTP.
private struct SecurePackets {
    private let key: MasterKey
    private let protection: OutgoingProtection
    /// The source of the publisher's packets.
    private static let ssrc: UInt32 = 0xBEEF

    init(seed: UInt8) throws {
        guard let key = MasterKey(.counterMode, material: [UInt8](repeating: seed, count: 30)) else {
            throw Breach(description: "the key has a wrong length")
        }
        self.key = key
        protection = try OutgoingProtection(key, ssrc: Self.ssrc)
    }

    /// The description of the publisher's stream, with the key.
    var description: String {
        let message = MIKEYMessage(key, ssrc: Self.ssrc, bundle: 1, timestamp: 2, random: [3])
        return Publisher.description(
            media: Publisher.video.replacing("RTP/AVP", with: "RTP/SAVP") + "a=key-mgmt:\(message.attributeValue)\r\n")
    }

    /// The packet, encrypted.
    func sealed(_ packet: [UInt8]) -> [UInt8] {
        let number = UInt64(packet[2]) << 8 | UInt64(packet[3])
        return protection.sealed(Array(packet[12...]), header: Array(packet[..<12]), index: number)
    }
}
