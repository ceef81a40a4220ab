import SDP

/// What a browser or a publisher offers: one transport, and the media on it (RFC 8829, RFC 9725).
public struct Offer: Hashable, Sendable {
    public let media: [OfferedMedia]
    /// The peer's credentials of ICE.
    public let credentials: ICECredentials
    /// The hashes of the peer's certificate, by different functions.
    public let fingerprints: [DTLSFingerprint]
    /// Our role in DTLS.
    public let role: DTLSRole
    /// The names of the media that share one transport (RFC 8843).
    let bundle: Set<String>

    /// The offers of browsers have about 10 KB, with all codecs and simulcast.
    public static let byteLimit = 32_768
    /// The most media of an offer; one video and one audio are used.
    public static let mediaLimit = 16
    /// The longest name of a medium, in bytes: packets carry it in a header extension whose length has four bits
    /// (RFC 8285, section 4.2).
    static let midLimit = 16

    public init(parsing bytes: [UInt8]) throws(OfferError) {
        guard bytes.count <= Self.byteLimit else { throw .tooLong(byteCount: bytes.count, limit: Self.byteLimit) }
        let description: SessionDescription
        do throws(SessionDescription.ParseError) {
            description = try SessionDescription(parsing: bytes)
        } catch {
            throw .malformed(error)
        }
        try self.init(description)
    }

    /// Also reads an answer, which has the same parts.
    init(_ description: SessionDescription) throws(OfferError) {
        guard description.media.count <= Self.mediaLimit else {
            throw .tooManyMedia(description.media.count, limit: Self.mediaLimit)
        }
        let media = description.media.map { OfferedMedia($0, in: description) }
        guard media.allSatisfy({ $0.mid?.utf8.count ?? 0 <= Self.midLimit }) else {
            throw .attributeTooLong("mid", limit: Self.midLimit)
        }
        self.media = media
        bundle = Set(
            description.attributes.values(of: "group").map(\.fields).first { $0.first == "BUNDLE" }?.dropFirst() ?? [])
        guard !media.isEmpty else { throw .missing("media (m=)") }
        // The transport is that of the first medium which is not switched off, or the session's.
        let transport =
            description.media.indices.first { !media[$0].isDisabled }.map { description.media[$0].attributes } ?? []
        let attributes = transport + description.attributes
        guard let fragment = attributes.value(of: "ice-ufrag"), let password = attributes.value(of: "ice-pwd"),
            let credentials = ICECredentials(userFragment: fragment, password: password)
        else { throw .missing("a=ice-ufrag and a=ice-pwd") }
        self.credentials = credentials
        fingerprints = attributes.values(of: "fingerprint").prefix(Self.fingerprintLimit).compactMap {
            DTLSFingerprint($0)
        }
        guard !fingerprints.isEmpty else { throw .missing("a=fingerprint with SHA-256, SHA-384 or SHA-512") }
        guard let role = DTLSRole(offered: attributes.value(of: "setup")?.lowercased()) else {
            throw .missing("a=setup")
        }
        self.role = role
    }

    /// There are four hash functions; aiortc uses three of them.
    private static let fingerprintLimit = 8

    /// Whether two media share a transport.
    func areBundled(_ first: OfferedMedia, _ second: OfferedMedia) -> Bool {
        guard let one = first.mid, let other = second.mid else { return false }
        return one != other && bundle.contains(one) && bundle.contains(other)
    }
}
