import Foundation
import TestSupport

/// Attacks on the exchange of SRTP keys, which needs TLS (RFC 4567).
extension Attack {
    static let keys: [Attack] = [
        Attack(
            "SRTP for a client without TLS", in: "RTSP/Server/TransportChoice.swift",
            guard: "profile == .plain || self == .connectionOrSRTP", effect: "461", scope: .clear
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
