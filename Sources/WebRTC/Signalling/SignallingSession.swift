/// The address of a session: the client sends candidates there, and ends the session (RFC 9725, sections 4.2 and 4.3).
///
/// | request | response |
/// |---|---|
/// | DELETE | 200, and the session ends |
/// | PATCH with candidates | 204 |
/// | PATCH without `If-Match` | 428 |
/// | PATCH with the tag of another session | 412 |
/// | PATCH that begins ICE anew | 422: the client opens a session anew |
/// | PATCH of another type | 415 |
/// | PATCH of something that is no fragment | 400, 413 |
/// | HEAD, GET | 200, 204 |
/// | another method | 405 |
///
/// The web server answers OPTIONS.
///
/// The server needs no candidates of the client, because it learns its addresses from its checks. So it reads them and forgets them.
public struct SignallingSession: Hashable, Sendable {
    /// Without quotes.
    public let entityTag: String
    /// The client's name in ICE. Another one in a fragment begins ICE anew.
    private let remoteFragment: String

    public init(entityTag: String, remote credentials: ICECredentials) {
        (self.entityTag, remoteFragment) = (entityTag, credentials.userFragment)
    }

    /// What a session wants to be done.
    public enum Order: Hashable, Sendable {
        case respond(SignallingResponse)
        /// End the session and respond.
        case close(SignallingResponse)
    }

    public func received(_ request: SignallingRequest) -> Order {
        switch request.method {
        case "DELETE": .close(Self.closed)
        case "PATCH": .respond(patched(request))
        case "HEAD": .respond(SignallingResponse(200, [tag]))
        case "GET": .respond(SignallingResponse(204, [tag]))
        default:
            .respond(
                SignallingResponse(
                    405, [Self.allow], .problem("a session takes PATCH and DELETE, not \(request.method)")))
        }
    }

    private func patched(_ request: SignallingRequest) -> SignallingResponse {
        guard request.has(.trickleFragment) else {
            return SignallingResponse(
                415, [Self.acceptPatch],
                .problem("candidates have the type \(MediaType.trickleFragment.rawValue)"))
        }
        guard let ifMatch = request.ifMatch else {
            return SignallingResponse(428, [], .problem("the request lacks If-Match with the ETag of the session"))
        }
        let fragment: TrickleFragment
        do throws(OfferError) {
            fragment = try TrickleFragment(parsing: request.body)
        } catch {
            return SignallingResponse(error)
        }
        let tags = ifMatch.utf8.split(separator: UInt8(ascii: ",")).flatMap { String(Substring($0)).fields }
        guard !tags.contains("*") else { return Self.restart }
        guard tags.contains("\"\(entityTag)\"") else {
            return SignallingResponse(412, [tag], .problem("If-Match is not the ETag of the session"))
        }
        guard fragment.userFragment == nil || fragment.userFragment == remoteFragment else { return Self.restart }
        return SignallingResponse(204)
    }

    /// The response to DELETE. OBS takes no other status as success.
    public static let closed = SignallingResponse(200)
    private static let restart = SignallingResponse(
        422, [], .problem("ICE cannot begin anew in this session, so the client must open another one"))
    private static let allow = SignallingResponse.Header("Allow", "DELETE, GET, HEAD, OPTIONS, PATCH")
    private static let acceptPatch = SignallingResponse.Header("Accept-Patch", MediaType.trickleFragment.rawValue)
    private var tag: SignallingResponse.Header { .init("ETag", "\"\(entityTag)\"") }
}
