import RTP
import SDP
import Testing
import Wire

@testable import RTSP

/// Publishers with SRTP: their keys in ANNOUNCE and SETUP, as GStreamer and gortsplib send them, and ours in the responses.
struct SecurePublishingTests {
    private static let type: Headers = [.contentType: "application/sdp"]
    private static let udp = "RTP/SAVP/UDP;unicast;client_port=40628-40629;mode=RECORD"
    private static let tcp = "RTP/SAVP/TCP;unicast;interleaved=0-1;mode=RECORD"

    /// The key in the description, and another one.
    private static let announced = SenderKey(
        MasterKey(.counterMode, material: (0..<30).map { UInt8($0) })!, rolloverCounters: [SSRC(0xBEEF): 3])
    private static let other = SenderKey(MasterKey(.gcm, material: (0..<28).map { UInt8($0) &* 3 })!)

    private static func message(_ key: SenderKey) -> MIKEYMessage {
        var message = MIKEYMessage(key.key, ssrc: 0xBEEF, bundle: 1, timestamp: 2, random: [3])
        message.cryptoSessions[0].rolloverCounter = key.rolloverCounters[SSRC(0xBEEF)] ?? 0
        return message
    }

    private static func header(_ key: SenderKey) -> String {
        KeyManagementHeader.value(message(key), url: "rtsps://h/cam/stream=1")
    }

    private static func description(_ profile: String, _ key: String?, ofSession: Bool = false) -> [UInt8] {
        let attribute = key.map { "a=key-mgmt:\($0)\r\n" } ?? ""
        let media = [("audio", "opus/48000/2"), ("video", "H264/90000")].enumerated().map { index, medium in
            "m=\(medium.0) 0 \(profile) 96\r\na=rtpmap:96 \(medium.1)\r\na=control:stream=\(index)\r\n"
                + (ofSession ? "" : attribute)
        }
        let head = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nt=0 0\r\n\(ofSession ? attribute : "")"
        return Array((head + media.joined()).utf8)
    }

    private static func dialogue(_ security: ConnectionSecurity = .tls, servesSRTP: Bool = true) -> Dialogue {
        var configuration = ServerConnection.Configuration()
        configuration.servesSRTP = servesSRTP
        return Dialogue(configuration, security: security)
    }

    private func announce(
        _ profile: String = "RTP/SAVP", key: String? = message(announced).attributeValue, ofSession: Bool = false,
        on dialogue: inout Dialogue
    ) -> Response? {
        dialogue.ask(
            .announce, Dialogue.url, Self.type, body: Self.description(profile, key, ofSession: ofSession))
    }

    private func orderedKey(_ dialogue: Dialogue) -> SenderKey? {
        guard case .setUpPublisher(_, let request)? = dialogue.orders.last else { return nil }
        return request.key
    }

    // MARK: Keys

    /// GStreamer sends the same key in ANNOUNCE and SETUP; the newer one counts.
    @Test(arguments: [udp, tcp], [nil, other] as [SenderKey?])
    func theKeyOfASetUpIsItsOwnOrThatOfTheDescription(transport: String, key: SenderKey?) {
        for ofSession in [false, true] {
            var dialogue = Self.dialogue()
            #expect(announce(ofSession: ofSession, on: &dialogue)?.status == .ok)
            var headers: Headers = [.transport: transport]
            headers[.keyManagement] = key.map(Self.header)
            let response = dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", headers)
            #expect(response?.status == .ok)
            #expect(response?.headers[.transport]?.hasPrefix("RTP/SAVP") == true)
            #expect(orderedKey(dialogue) == key ?? Self.announced)
        }
    }

    @Test func theServersKeysComeInBothResponses() throws {
        var dialogue = Self.dialogue()
        let announcement = announce(on: &dialogue)
        let values = announcement?.headers.values(of: .keyManagement) ?? []
        #expect(values.count == 2)
        for (index, value) in values.enumerated() {
            #expect(value.contains("uri=\"\(Dialogue.url)/stream=\(index)\""), "in the order of the media")
            #expect(KeyManagementHeader.mikeyData(in: value) == Dialogue.reportKey.bytes)
        }
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", [.transport: Self.udp])
        let value = try #require(response?.headers[.keyManagement])
        #expect(value.contains("uri=\"\(Dialogue.url)/stream=1\""))
        #expect(KeyManagementHeader.mikeyData(in: value) == Dialogue.reportKey.bytes)
    }

    /// GStreamer divides the header at each comma and semicolon, quoted or not.
    @Test(arguments: ["a,b", "a;b", "a\"b", "a b", "ä"])
    func urlsThatTheHeaderCannotContainAreLeftOut(control: String) {
        var dialogue = Self.dialogue()
        let text = String(
            decoding: Self.description("RTP/SAVP", Self.message(Self.announced).attributeValue), as: UTF8.self)
        let response = dialogue.ask(
            .announce, Dialogue.url, Self.type, body: Array(text.replacing("stream=1", with: control).utf8))
        let values = response?.headers.values(of: .keyManagement) ?? []
        let data = Base64.encode(Dialogue.reportKey.bytes)
        #expect(values.last == "prot=mikey;uri=\"\";data=\"\(data)\"")
        #expect(values.first == "prot=mikey;uri=\"\(Dialogue.url)/stream=0\";data=\"\(data)\"")
    }

    @Test func withoutSRTPThereAreNoKeys() {
        var dialogue = Self.dialogue()
        let announcement = announce("RTP/AVP", key: nil, on: &dialogue)
        #expect(announcement?.status == .ok && announcement?.headers[.keyManagement] == nil)
        let headers: Headers = [.transport: "RTP/AVP/TCP;unicast;mode=record", .keyManagement: "nonsense"]
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", headers)
        #expect(response?.status == .ok && response?.headers[.keyManagement] == nil)
        #expect(orderedKey(dialogue) == nil)
    }

    // MARK: Refusals

    @Test(arguments: [
        (ConnectionSecurity.clear, true, "Unsupported Transport: SRTP needs rtsps://, because RTSP carries its keys"),
        (.tls, false, "Unsupported Transport: SRTP is off, inside TLS use RTP/AVP/TCP"),
    ])
    func srtpNeedsTLS(security: ConnectionSecurity, serves: Bool, reason: String) {
        var dialogue = Self.dialogue(security, servesSRTP: serves)
        let refused = announce(on: &dialogue)
        #expect(refused?.status.code == 461 && refused?.reason == reason)
        #expect(announce("RTP/AVP", key: nil, on: &dialogue)?.status == .ok)
        let setUp = dialogue.ask(
            .setUp, "\(Dialogue.url)/stream=1", [.transport: Self.udp, .keyManagement: Self.header(Self.other)])
        #expect(setUp?.status.code == 461 && setUp?.reason == reason)
    }

    @Test func unusableKeysAreRefusedWithTheirReason() {
        var longKey = Self.message(Self.announced)
        longKey.policies[0].parameters[1].value = [32]
        var sharedSecret = Self.message(Self.announced).bytes
        sharedSecret[sharedSecret.count - 1] = 1
        for (bytes, reason) in [
            (longKey.bytes, "unsupported value [32] of SRTP parameter 1 in the MIKEY message"),
            (sharedSecret, "the keys in the MIKEY message are encrypted"), ([1, 0], "truncated at byte 2"),
        ] {
            let data = Base64.encode(bytes)
            var dialogue = Self.dialogue()
            let refused = announce(key: "mikey \(data)", on: &dialogue)
            #expect(refused?.status.code == 463 && refused?.reason.contains(reason) == true, "\(refused?.reason ?? "")")
            #expect(dialogue.connection.publication == nil)
            _ = announce(on: &dialogue)
            let headers: Headers = [.transport: Self.udp, .keyManagement: "prot=mikey;uri=\"\";data=\"\(data)\""]
            let setUp = dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", headers)
            #expect(setUp?.status.code == 463 && setUp?.reason.contains(reason) == true, "\(setUp?.reason ?? "")")
        }
    }

    /// Also keys of another protocol, such as SDES, which no publisher of RTSP is known to use.
    @Test(arguments: [nil, "other AAAA"])
    func aMissingKeyIsRefusedAtSetUp(key: String?) {
        var dialogue = Self.dialogue()
        #expect(announce(key: key, on: &dialogue)?.status == .ok, "it may come with SETUP")
        let refused = dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", [.transport: Self.tcp])
        #expect(refused?.status.code == 463)
        #expect(refused?.reason == "Key Management Failure: no MIKEY message in KeyMgmt or a=key-mgmt")
        let headers: Headers = [.transport: Self.tcp, .keyManagement: Self.header(Self.other)]
        #expect(dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", headers)?.status == .ok)
        #expect(orderedKey(dialogue) == Self.other)
    }

    @Test(arguments: ["mikey", "mikey ", "mikey ?", "MIKEY AAAA", "mikey AQAF"])
    func malformedAttributesAreRefused(value: String) {
        var dialogue = Self.dialogue()
        #expect(announce(key: value, on: &dialogue)?.status.code == 463)
    }

    // MARK: Transports

    @Test(arguments: [
        ("RTP/SAVP/UDP;unicast;client_port=5000-5001;mode=record", 200),
        ("RTP/SAVPF/UDP;unicast;client_port=5000-5001;mode=record", 200),
        ("RTP/SAVPF/TCP;unicast;interleaved=0-1;mode=record", 200),
        ("RTP/AVP/TCP;unicast;interleaved=0-1;mode=record", 200),
        ("RTP/AVPF/TCP;unicast;interleaved=0-1;mode=record", 200),
        ("RTP/AVP;unicast;client_port=5000-5001;mode=record", 461),
        ("RTP/AVPF;unicast;client_port=5000-5001;mode=record", 461), ("RTP/SAVP;multicast;mode=record", 461),
        ("RTP/XAVP;unicast;client_port=5000-5001;mode=record", 461),
    ])
    func profilesInsideTLS(transport: String, status: Int) {
        var dialogue = Self.dialogue()
        _ = announce(on: &dialogue)
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", [.transport: transport])
        #expect(response?.status.code == status)
        guard status == 200 else { return }
        let profile = transport.prefix { $0 != ";" }.split(separator: "/").prefix(2).joined(separator: "/")
        #expect(response?.headers[.transport]?.hasPrefix(profile) == true, "the profile is repeated")
    }

    /// A client that offers both gets the transport that is served, with its key.
    @Test func theFirstServedProfileIsChosen() {
        var dialogue = Self.dialogue()
        _ = announce(on: &dialogue)
        let offers = "RTP/AVP/UDP;unicast;client_port=5000-5001;mode=record,\(Self.udp),RTP/AVP/TCP;unicast;mode=record"
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", [.transport: offers])
        #expect(response?.headers[.transport]?.hasPrefix("RTP/SAVP;unicast;client_port=40628-40629") == true)
        #expect(orderedKey(dialogue) == Self.announced)
    }

    @Test(arguments: ["RTP/AVPF", "RTP/SAVPF"])
    func viewersMayUseProfilesWithFeedback(profile: String) {
        var dialogue = Self.dialogue()
        dialogue.ask(.describe)
        let response = dialogue.ask(
            .setUp, "\(Dialogue.url)/track1", [.transport: "\(profile)/TCP;unicast;interleaved=0-1"])
        #expect(response?.status.code == 200)
        #expect(response?.headers[.transport]?.hasPrefix("\(profile)/TCP;unicast;interleaved=0-1") == true)
    }

    // MARK: Real requests

    /// ANNOUNCE and SETUP of rtspclientsink 1.22 with `profiles=savp`: SETUP names the SSRC of retransmissions, too.
    @Test func gstreamersExchange() throws {
        let announced =
            "AQAFACCjPYUBAAAAS/iPAAAAAAsA7rDIB8oduHcKEHr+gWBFNkFgkPfa75kcaT8BAAAAFQABAQEBEAIBAQMBCgcBAQgBAQoBAQAAACIAIAAe3oCUFgxt7nuXVMGsvMMl47ia9/j/hTrp0mS25RJ1AA=="
        let setUp =
            "AQAFAJa2MTYCAAAAS/iPAAAAAAAqGlbwAAAAAAsA7rDIB9Wpda8KEOpP9Bp4d2FlBeeWdWwf/MMBAAAAFQABAQEBEAIBAQMBCgcBAQgBAQoBAQAAACIAIAAe3oCUFgxt7nuXVMGsvMMl47ia9/j/hTrp0mS25RJ1AA=="
        let key = try SenderKey(mikey: Base64.decode(announced[...]) ?? [])
        #expect(key.key.suite == .counterMode && key.key.material.prefix(3) == [0xDE, 0x80, 0x94])
        var dialogue = Self.dialogue()
        #expect(announce(key: "mikey \(announced)", on: &dialogue)?.status == .ok)
        let headers: Headers = [
            .keyManagement: "prot=mikey;uri=\"rtsp://127.0.0.1:18322/yard/stream=1\";data=\"\(setUp)\"",
            .transport: Self.udp,
        ]
        #expect(dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", headers)?.status == .ok)
        #expect(orderedKey(dialogue) == key)
    }

    /// gortsplib 5 sends the same key in both requests, too, and takes ours from the response to SETUP.
    @Test func gortsplibsExchange() throws {
        let announced =
            "AQAFADMGUhsBAAC4Yi+fAAAAAAsA7rDanGDkpMEKEA99n5MEQ9J2h2u+t9zIL9UBAAAAGAABAQEBEAIBAQMBFAcBAQgBAQoBAQsBCgAAACIAIAAeCz/iV8BWh46gUGOukh0QkujRFLDBFfc/PnDOC+iHAA=="
        let key = try SenderKey(mikey: Base64.decode(announced[...]) ?? [])
        #expect(key.key.suite == .counterMode && key.key.material.prefix(3) == [0x0B, 0x3F, 0xE2])
        var dialogue = Self.dialogue()
        #expect(announce(key: "mikey \(announced)", on: &dialogue)?.status == .ok)
        let headers: Headers = [
            .transport: "RTP/SAVP;unicast;client_port=14608-14609;mode=record",
            .keyManagement: "prot=mikey;uri=\"\(Dialogue.url)/stream=1\";data=\"\(announced)\"",
        ]
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/stream=1", headers)
        #expect(response?.status == .ok && response?.headers[.keyManagement] != nil)
        #expect(orderedKey(dialogue) == key)
    }

    /// Every prefix of a whole exchange leaves the machine waiting, and the rest completes it.
    @Test func anExchangeMayBeSplitAnywhere() throws {
        let body = Self.description("RTP/SAVP", Self.message(Self.announced).attributeValue)
        var requests: [UInt8] = []
        for (number, request) in [
            Request(.announce, Dialogue.url, headers: Self.type, body: body),
            Request(
                .setUp, "\(Dialogue.url)/stream=1",
                headers: [.transport: Self.udp, .keyManagement: Self.header(Self.other)]),
        ].enumerated() {
            var request = request
            request.headers[.cSeq] = "\(number + 1)"
            requests += Writer.bytes(of: request)
        }
        for split in stride(from: 1, to: requests.count, by: 7) {
            var dialogue = Self.dialogue()
            let responses = dialogue.put(Array(requests[..<split])) + dialogue.put(Array(requests[split...]))
            #expect(responses.map(\.status) == [.ok, .ok])
            #expect(orderedKey(dialogue) == Self.other)
        }
    }
}
