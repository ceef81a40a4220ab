import Foundation
import TestSupport

/// Keys of SRTP, which are told inside TLS (RFC 4567).
extension Attack {
    static let keys: [Attack] = [
        Attack(
            "media by SRTP for who came in the clear", "RTSP/Server/TransportChoice.swift",
            "profile == .plain || self == .connectionOrSRTP", "461", .clear
        ) { target in
            let socket = try target.logIn()
            let description = try socket.request("DESCRIBE", target.url("hall")).expect(200)
            try hold(!description.body.contains("mikey"), "a key is told to everybody on the way")
            try socket.request("SETUP", target.url("hall/track1"), offer(50_986)).expect(461)
        },
        Attack(
            "a key for a second session", "RTSPServer/AnnouncedKeys.swift",
            "announced[place].tracks[track.index] = nil", "461", .tls
        ) { target in
            let socket = try target.logIn()
            _ = try keyMessage(of: "hall", on: socket, target)
            try socket.request("SETUP", target.url("hall/track1"), offer(50_988)).expect(200)
            try socket.request("SETUP", target.url("hall/track1"), offer(50_984)).expect(461)
        },
        Attack(
            "a key that is no message of MIKEY", "RTSP/KeyManagement/KeyManagementHeader.swift",
            "guard let data = mikeyData(in: value) else", "463", .tls
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
            "a key by which nothing is encrypted", "RTSP/KeyManagement/MIKEYMessage+MasterKey.swift",
            "throw .unservedPolicy(parameter: parameter.type, value: parameter.value)", "463", .tls
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

    /// What the description of a stream's first track tells.
    private static func keyMessage(of path: String, on socket: RTSPSocket, _ target: Target) throws -> Data {
        let text = try socket.request("DESCRIBE", target.url(path)).expect(200).body
        guard let match = text.firstMatch(of: /a=key-mgmt:mikey (\S+)/),
            let message = Data(base64Encoded: String(match.1))
        else { throw Breach(description: "no key is told: \(text)") }
        return message
    }
}
