import SDP

/// A server's answer to our offer: its end of the transport, and the media (RFC 8829, RFC 9725).
public struct ReceivedAnswer: Hashable, Sendable {
    /// The server's credentials of ICE.
    public let credentials: ICECredentials
    /// Our role in DTLS.
    public let role: DTLSRole
    /// The SHA-256 digest of the server's certificate.
    public let fingerprint: [UInt8]
    /// Where the server says that it can be reached over UDP, the best first. Media of one transport may repeat the candidates.
    public let candidates: [RemoteCandidate]
    let description: SessionDescription
    /// The media of the description.
    let media: [OfferedMedia]

    public init(parsing bytes: [UInt8]) throws(AnswerError) {
        guard bytes.count <= Offer.byteLimit else { throw .tooLong(byteCount: bytes.count, limit: Offer.byteLimit) }
        let parsed: SessionDescription
        do throws(SessionDescription.ParseError) {
            parsed = try SessionDescription(parsing: bytes)
        } catch {
            throw .malformed(error)
        }
        let parts: Offer
        do throws(OfferError) {
            parts = try Offer(parsed)
        } catch {
            throw AnswerError(error)
        }
        guard let fingerprint = parts.fingerprints.first(where: { $0.algorithm == .sha256 }) else {
            throw .missing("a=fingerprint with SHA-256")
        }
        (description, media) = (parsed, parts.media)
        (credentials, role, self.fingerprint) = (parts.credentials, parts.role, fingerprint.digest)
        let lines = (parsed.attributes + parsed.media.flatMap(\.attributes)).values(of: "candidate")
        candidates = lines.compactMap { RemoteCandidate($0) }.sorted { $0.priority > $1.priority }
    }
}
