import Media
import RTP
import SDP

/// The offer of a player, which receives one video and one audio track over one transport (WHEP).
///
/// It names no candidates: the server learns the player's address from its connectivity checks (RFC 8445, section 7.3.1.3).
public struct PlaybackOffer: Hashable, Sendable {
    /// The player's credentials of ICE.
    public let credentials: ICECredentials
    public let description: SessionDescription

    /// The offer as text.
    public var text: String { description.text }

    /// - Parameters:
    ///   - fingerprint: the hash of the player's certificate.
    ///   - sessionID: a random number (RFC 8829, section 5.2.1).
    public init(credentials: ICECredentials, fingerprint: DTLSFingerprint, sessionID: UInt64) {
        self.credentials = credentials
        let transport = [
            Attribute("ice-ufrag", credentials.userFragment), Attribute("ice-pwd", credentials.password),
            Attribute("fingerprint", fingerprint.attributeValue), Attribute("setup", "actpass"),
        ]
        let kinds = [("video", PlayableFormat.video), ("audio", PlayableFormat.audio)]
        description = SessionDescription(
            origin: .init(sessionID: sessionID >> 1, version: 1, address: "0.0.0.0"),
            attributes: [Attribute("group", "BUNDLE " + kinds.indices.map { "\($0)" }.joined(separator: " "))],
            media: kinds.enumerated().map { index, kind in
                Self.media(kind.0, mid: "\(index)", kind.1, transport)
            })
    }

    private static func media(
        _ kind: String, mid: String, _ formats: [PlayableFormat], _ transport: [Attribute]
    ) -> MediaDescription {
        MediaDescription(
            kind: kind, port: 9, transport: "UDP/TLS/RTP/SAVPF", formats: formats.flatMap(\.payloadTypes),
            connection: .unspecified(.ipv4),
            attributes: transport + [Attribute("mid", mid)]
                + extensions.map { ExtensionMap(identifier: UInt16($0.identifier), uri: $0.uri).attribute }
                + [Attribute("recvonly"), Attribute("rtcp-mux"), Attribute("rtcp-rsize")]
                + formats.flatMap(\.attributes))
    }

    /// What browsers offer and servers of WHEP use.
    private static let extensions: [HeaderExtension] = [.mediaIdentification, .transportSequenceNumber, .playoutDelay]
}

/// A format that the player receives.
private struct PlayableFormat {
    let payloadType: UInt8
    /// The encoding with its clock rate: `H264/90000`.
    let encoding: String
    let parameters: String
    let feedback: [String]
    /// Whether lost packets may come again in a stream of their own. Its payload type is the next number.
    let hasRetransmission: Bool

    static let video =
        ["42e01f", "4d001f", "64001f"].enumerated().map { index, profile in
            video(
                UInt8(96 + 2 * index), "H264/90000",
                "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=\(profile)")
        }
        + [1, 2].map { profile in
            video(UInt8(100 + 2 * profile), "H265/90000", "level-id=180;profile-id=\(profile);tier-flag=0;tx-mode=SRST")
        }

    static let audio = [
        Self(
            payloadType: 111, encoding: "opus/48000/2", parameters: "minptime=10;useinbandfec=1", feedback: ["nack"],
            hasRetransmission: false),
        Self(payloadType: 8, encoding: "PCMA/8000", parameters: "", feedback: ["nack"], hasRetransmission: false),
        Self(payloadType: 0, encoding: "PCMU/8000", parameters: "", feedback: ["nack"], hasRetransmission: false),
    ]

    private static func video(_ payloadType: UInt8, _ encoding: String, _ parameters: String) -> Self {
        Self(
            payloadType: payloadType, encoding: encoding, parameters: parameters,
            feedback: ["nack", "nack pli", "ccm fir", "transport-cc"], hasRetransmission: true)
    }

    var payloadTypes: [String] {
        hasRetransmission ? ["\(payloadType)", "\(payloadType + 1)"] : ["\(payloadType)"]
    }

    var attributes: [Attribute] {
        var attributes = [Attribute("rtpmap", "\(payloadType) \(encoding)")]
        attributes += feedback.map { Attribute("rtcp-fb", "\(payloadType) \($0)") }
        if !parameters.isEmpty { attributes.append(Attribute("fmtp", "\(payloadType) \(parameters)")) }
        guard hasRetransmission else { return attributes }
        return attributes + [
            Attribute("rtpmap", "\(payloadType + 1) rtx/90000"),
            Attribute("fmtp", "\(payloadType + 1) apt=\(payloadType)"),
        ]
    }
}
