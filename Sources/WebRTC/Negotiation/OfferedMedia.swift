import Media
import RTP
import SDP

/// A medium of an offer: what the peer can send or receive over one RTP stream.
public struct OfferedMedia: Hashable, Sendable {
    /// `nil` for media other than audio and video, such as data channels.
    public let kind: Codec.Kind?
    /// The name of the medium in the bundle (RFC 5888); `nil` if the offer gives none.
    public let mid: String?
    public let direction: Direction
    /// In the order of the peer's preference.
    public let formats: [OfferedFormat]
    public let extensions: [ExtensionMap]
    /// Whether the peer has switched the medium off.
    public let isDisabled: Bool
    /// Whether RTCP shares the port of RTP (RFC 5761).
    public let multiplexesReports: Bool
    /// Whether RTCP may come without reports (RFC 5506).
    public let reducesReports: Bool
    /// Whether the peer reports its own time in extended reports, and wants to know its round trip (RFC 3611, section 5).
    public let reportsReceiverTime: Bool
    /// Whether the peer would send several versions of the picture (RFC 8853).
    public let isSimulcast: Bool
    /// The source that the peer announces for its packets.
    public let source: SSRC?
    /// The medium with port 0 and without attributes, which rejects it (RFC 3264, section 6).
    let line: MediaDescription

    /// Who sends (RFC 8866, section 6.7).
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        case sendReceive = "sendrecv"
        case sendOnly = "sendonly"
        case receiveOnly = "recvonly"
        case inactive

        /// Whether the peer receives.
        var receives: Bool { self == .sendReceive || self == .receiveOnly }
        /// Whether the peer sends.
        var sends: Bool { self == .sendReceive || self == .sendOnly }

        init?(in attributes: [Attribute]) {
            guard let found = Self.allCases.first(where: { attributes.contains($0.rawValue) }) else { return nil }
            self = found
        }
    }

    init(_ media: MediaDescription, in session: SessionDescription) {
        let attributes = media.attributes
        kind =
            switch media.kind {
            case "video": .video
            case "audio": .audio
            default: nil
            }
        mid = attributes.value(of: "mid")
        direction = Direction(in: attributes) ?? Direction(in: session.attributes) ?? .sendReceive
        formats = kind == nil ? [] : OfferedFormat.all(of: media)
        extensions = media.extensionMaps
        // A medium that is only sent in the bundle has no port of its own (RFC 8843, section 6).
        isDisabled = media.port == 0 && !attributes.contains("bundle-only")
        multiplexesReports = attributes.contains("rtcp-mux")
        reducesReports = attributes.contains("rtcp-rsize")
        reportsReceiverTime = (attributes + session.attributes).values(of: "rtcp-xr").contains {
            $0.fields.contains { $0.hasPrefix("rcvr-rtt") }
        }
        isSimulcast = attributes.contains("simulcast")
        // In a group, the source of the media comes before that of its retransmissions (RFC 5576, section 4.2).
        let group = attributes.values(of: "ssrc-group").map(\.fields).first { $0.first == "FID" }
        let number = group?.dropFirst().first ?? attributes.value(of: "ssrc")?.fields.first
        source = number.flatMap { UInt32($0) }.map { SSRC($0) }
        line = MediaDescription(
            kind: media.kind, port: 0, transport: media.transport, formats: Array(media.formats.prefix(1)),
            connection: .unspecified(.ipv4))
    }

    /// Whether media are encrypted with keys of DTLS (RFC 5764, section 8).
    var isEncrypted: Bool { line.transport.uppercased().contains("TLS/RTP/SAVP") }

    /// Whether media can be sent over its transport.
    private var hasMediaTransport: Bool { !isDisabled && isEncrypted && multiplexesReports }

    /// Whether it can be accepted without being sent.
    var canBeInactive: Bool { hasMediaTransport && !formats.isEmpty }

    /// Whether the peer wants to receive this kind, and the transport allows that.
    func isReceived(_ kind: Codec.Kind) -> Bool { self.kind == kind && direction.receives && hasMediaTransport }

    /// The name of the kind.
    var kindName: String { line.kind }
}
