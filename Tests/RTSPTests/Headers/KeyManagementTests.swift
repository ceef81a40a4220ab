import RTP
import SDP
import Testing

@testable import RTSP

/// MIKEY messages in the formats of GStreamer and live555.
struct KeyManagementTests {
    private static let material = (0..<30).map { UInt8($0) }

    /// Builds a message by hand: header with one session, T, RAND, policy, KEMAC.
    private static func message(
        _ parameters: [(UInt8, UInt8)], key: [UInt8] = material, identifier: [UInt8] = []
    ) -> [UInt8] {
        let policy = parameters.flatMap { parameter -> [UInt8] in [parameter.0, 1, parameter.1] }
        let validity: [UInt8] = identifier.isEmpty ? [] : [UInt8(identifier.count)] + identifier
        let data = [0, identifier.isEmpty ? 0x20 : 0x21, 0, UInt8(key.count)] + key + validity
        let header: [UInt8] = [1, 0, 5, 0, 0x12, 0x34, 0x56, 0x78, 1, 0, 0, 0xA5, 0xA5, 0xA5, 0xA5, 0, 0, 0, 0]
        let time: [UInt8] = [11, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        let random: [UInt8] = [10, 16] + (0..<16)
        let transport = [0, 0, 0, UInt8(data.count)] + data + [0]
        return header + time + random + [1, 0, 0, 0, UInt8(policy.count)] + policy + transport
    }

    private static let gstreamer: [(UInt8, UInt8)] = [(0, 1), (1, 16), (2, 1), (3, 10), (7, 1), (8, 1), (10, 1)]
    private static let live555: [(UInt8, UInt8)] = [
        (0, 1), (1, 16), (2, 1), (3, 20), (4, 14), (7, 1), (8, 1), (10, 1), (11, 10),
    ]

    @Test func keysOfGStreamerAndLive555AreRead() throws {
        let theirs = try MIKEYMessage(parsing: Self.message(Self.gstreamer))
        #expect(theirs.bundle == 0x1234_5678 && theirs.timestamp == 0x0102_0304_0506_0708)
        #expect(theirs.cryptoSessions == [.init(policy: 0, ssrc: 0xA5A5_A5A5)])
        #expect(try theirs.masterKey() == MasterKey(.counterMode, material: Self.material))
        let named = try MIKEYMessage(parsing: Self.message(Self.live555, identifier: [1, 2, 3, 4])).masterKey()
        #expect(named == MasterKey(.counterMode, material: Self.material, identifier: [1, 2, 3, 4]))
        let gcm = Self.message([(0, 6), (1, 16), (2, 0), (3, 0), (10, 1)], key: Array(Self.material[..<28]))
        #expect(try MIKEYMessage(parsing: gcm).masterKey() == MasterKey(.gcm, material: Array(Self.material[..<28])))
    }

    @Test func messagesReadBackTheSameAndTruncatedOnesAreRefused() throws {
        for bytes in [Self.message(Self.gstreamer), Self.message(Self.live555, identifier: [1, 2, 3, 4])] {
            let message = try MIKEYMessage(parsing: bytes)
            #expect(message.bytes == bytes)
            for count in bytes.indices {
                #expect(throws: MIKEYFailure.self) { try MIKEYMessage(parsing: Array(bytes[..<count])) }
            }
        }
    }

    @Test(arguments: CipherSuite.allCases, [[], [9, 8, 7, 6]] as [[UInt8]])
    func writtenKeysReadBackTheSame(suite: CipherSuite, identifier: [UInt8]) throws {
        let key = try #require(
            MasterKey(suite, material: Array(Self.material[..<(16 + suite.saltByteCount)]), identifier: identifier))
        let message = MIKEYMessage(key, ssrc: 7, bundle: 1, timestamp: 2, random: [3, 4])
        #expect(try MIKEYMessage(parsing: message.bytes) == message)
        #expect(try message.masterKey() == key)
        #expect(message.attributeValue.hasPrefix("mikey AQA"))
    }

    /// The format must match byte by byte, because live555 refuses anything else.
    @Test func messagesForLive555HaveItsExactFormat() throws {
        let key = try #require(MasterKey(.counterMode, material: Self.material, identifier: [1, 2, 3, 4]))
        let message = MIKEYMessage(
            key, ssrc: 0xA5A5_A5A5, bundle: 0x1234_5678, timestamp: 0x0102_0304_0506_0708, random: Array(0..<16))
        #expect(message.bytes == Self.message(Self.live555, identifier: [1, 2, 3, 4]))
    }

    @Test(
        arguments: [
            // NULL encryption, a longer key, HMAC-SHA1-32, unencrypted packets or reports, no authentication, another tag length.
            (0, 0), (1, 32), (3, 4), (7, 0), (8, 0), (10, 0), (11, 4), (6, 1),
        ] as [(UInt8, UInt8)])
    func weakerPoliciesAreRefused(parameter: UInt8, value: UInt8) throws {
        let parameters = Self.live555.filter { $0.0 != parameter } + [(parameter, value)]
        let message = try MIKEYMessage(parsing: Self.message(parameters))
        #expect(throws: MIKEYFailure.unservedPolicy(parameter: parameter, value: [value])) { try message.masterKey() }
    }

    @Test func unusableMessagesGiveTheirReason() throws {
        let good = Self.message(Self.gstreamer)
        func failure(_ change: (inout [UInt8]) -> Void) -> MIKEYFailure? {
            var bytes = good
            change(&bytes)
            do throws(MIKEYFailure) {
                _ = try MIKEYMessage(parsing: bytes).masterKey()
                return nil
            } catch {
                return error
            }
        }
        #expect(failure { _ in } == nil)
        #expect(failure { $0[0] = 2 } == .unknownVersion(2))
        #expect(failure { $0[1] = 2 } == .otherExchange(2))
        #expect(failure { $0[2] = 3 } == .unknownPayload(3, at: 2))
        #expect(failure { $0[9] = 1 } == .otherProtocol(1))
        // The encryption of KEMAC, and its authentication after the keys.
        #expect(failure { $0[$0.count - 38] = 1 } == .encryptedKeys)
        #expect(failure { $0[$0.count - 1] = 1 } == .encryptedKeys)
        #expect(failure { $0 = Self.message(Self.gstreamer, key: [1, 2, 3]) } == .noKey)
        #expect(failure { $0 += [UInt8](repeating: 0, count: 2_048) } == .tooLong(byteCount: good.count + 2_048))
    }

    @Test func headersOfGStreamerAndLive555AreRead() throws {
        let data = Base64.encode(Self.message(Self.gstreamer))
        for value in [
            "prot=mikey;uri=\"rtsps://h/cam/track1\";data=\"\(data)\"",
            "prot=mikey; uri=\"rtsps://h/a,b;c/track1\"; data=\"\(data)\"",
            "prot=other;data=\"AAAA\", Prot=MIKEY;data=\(data)",
        ] {
            #expect(KeyManagementHeader.mikeyData(in: value) == Self.message(Self.gstreamer), "\(value)")
        }
        for value in ["", "prot=mikey", "prot=other;data=\"\(data)\"", "prot=mikey;data=\"!\""] {
            #expect(KeyManagementHeader.mikeyData(in: value) == nil, "\(value)")
        }
    }

    // MARK: Sessions

    private static let udp = "RTP/SAVP;unicast;client_port=5000-5001"

    private static func dialogue(servesSRTP: Bool = true, security: ConnectionSecurity = .tls) -> Dialogue {
        var configuration = ServerConnection.Configuration()
        configuration.servesSRTP = servesSRTP
        var dialogue = Dialogue(configuration, security: security)
        dialogue.ask(.describe)
        return dialogue
    }

    @Test(arguments: [
        (true, ConnectionSecurity.tls, udp, 200), (true, .tls, "RTP/SAVP/TCP;unicast;interleaved=0-1", 200),
        (true, .tls, "RTP/SAVP;multicast", 461), (true, .tls, "RTP/AVP;unicast;client_port=5000-5001", 461),
        (false, .tls, udp, 461), (true, .clear, udp, 461),
    ])
    func srtpIsOfferedOnlyInsideTLS(serves: Bool, security: ConnectionSecurity, transport: String, status: Int) {
        var dialogue = Self.dialogue(servesSRTP: serves, security: security)
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/track1", [.transport: transport])
        #expect(response?.status.code == status)
        if status == 200 { #expect(response?.headers[.transport]?.hasPrefix("RTP/SAVP") == true) }
    }

    @Test func theClientsKeyIsReadAndAnUnusableOneIsRefused() throws {
        var dialogue = Self.dialogue()
        let data = Base64.encode(Self.message(Self.gstreamer))
        let headers: Headers = [.transport: Self.udp, .keyManagement: "prot=mikey;uri=\"x\";data=\"\(data)\""]
        #expect(dialogue.ask(.setUp, "\(Dialogue.url)/track1", headers)?.status == .ok)
        guard case .setUp(_, let request)? = dialogue.orders.last else { throw Unexpected() }
        #expect(request.offers == [.udp(clientPorts: PortPair(rtp: 5000, rtcp: 5001), .secure)])
        #expect(request.clientKey == MasterKey(.counterMode, material: Self.material))
        for value in ["prot=mikey;data=\"AQAF\"", "nonsense"] {
            let refused = dialogue.ask(
                .setUp, "\(Dialogue.url)/track2", [.transport: Self.udp, .keyManagement: value])
            #expect(refused?.status.code == 463 && refused?.reason.contains("Key Management Failure: ") == true)
        }
        // Without SRTP, KeyMgmt is ignored.
        let plain = dialogue.ask(
            .setUp, "\(Dialogue.url)/track2", [.transport: "RTP/AVP/TCP;unicast", .keyManagement: "nonsense"])
        #expect(plain?.status == .ok)
    }

    private struct Unexpected: Error {}
}
