/// What an exchange is for.
public enum SignallingKind: Hashable, Sendable {
    /// WHEP: the client plays.
    case playback
    /// WHIP: the client publishes.
    case publishing
}

/// The address at which sessions begin: an offer is posted there (RFC 9725, section 4.2; draft-ietf-wish-whep-04, section 4.2).
///
/// | request | response |
/// |---|---|
/// | POST of an offer | 201 with the answer, `Location`, `ETag` and `Link`; or a refusal |
/// | POST of another type | 415 |
/// | POST of something that is no offer | 400, 413 |
/// | HEAD | 200 with the type of offers, by which clients recognise an endpoint |
/// | GET | 204 |
/// | another method | 405 |
///
/// The web server answers OPTIONS.
public struct SignallingEndpoint: Hashable, Sendable {
    public let kind: SignallingKind

    public init(_ kind: SignallingKind) {
        self.kind = kind
    }

    /// What an endpoint wants to be done.
    public enum Order: Hashable, Sendable {
        case respond(SignallingResponse)
        /// Make an answer to this offer, and respond by ``created(answer:location:entityTag:iceServers:)`` or by a refusal.
        case open(Offer)
    }

    public func received(_ request: SignallingRequest) -> Order {
        switch request.method {
        case "POST": return posted(request)
        case "HEAD":
            return .respond(SignallingResponse(200, [.init("Content-Type", MediaType.sessionDescription.rawValue)]))
        case "GET": return .respond(SignallingResponse(204))
        default:
            return .respond(
                SignallingResponse(405, [Self.allow], .problem("an offer is sent by POST, not by \(request.method)")))
        }
    }

    private func posted(_ request: SignallingRequest) -> Order {
        guard request.has(.sessionDescription) else {
            return .respond(
                SignallingResponse(
                    415, [Self.acceptPost],
                    .problem("an offer has the type \(MediaType.sessionDescription.rawValue)")))
        }
        do throws(OfferError) {
            return .open(try Offer(parsing: request.body))
        } catch {
            return .respond(SignallingResponse(error))
        }
    }

    private static let allow = SignallingResponse.Header("Allow", "GET, HEAD, OPTIONS, POST")
    private static let acceptPost = SignallingResponse.Header("Accept-Post", MediaType.sessionDescription.rawValue)
}

extension SignallingEndpoint {
    /// The session exists.
    ///
    /// - Parameters:
    ///   - location: the path of the session, without a query, because OBS would take that as a part of the path.
    ///   - entityTag: without quotes; the clients name it when they send candidates.
    ///   - iceServers: the servers of STUN and TURN that the client may use.
    public static func created(
        answer: String, location: String, entityTag: String, iceServers: [ICEServer] = []
    ) -> SignallingResponse {
        SignallingResponse(
            201,
            [
                .init("Content-Type", MediaType.sessionDescription.rawValue), .init("Location", location),
                .init("ETag", "\"\(entityTag)\""), .init("Accept-Patch", MediaType.trickleFragment.rawValue),
            ] + iceServers.map { .init("Link", $0.link) },
            .description(answer))
    }
}
