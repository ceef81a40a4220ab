import HTTP
import NIOHTTP1

/// Decides which web pages may use this server. Browsers state the origin of the page with each request that could change something;
/// programs state none.
struct OriginCheck {
    /// The origins of `http.origins`.
    let allowed: [Origin]

    enum Verdict: Equatable {
        /// There is no page, or it is one of this server.
        case own
        /// The page of another server, which is permitted.
        case permitted(Origin)
        case refused
    }

    /// - Parameters:
    ///   - host: what the request calls this server.
    ///   - isSecure: whether it came through TLS.
    func verdict(_ headers: HTTPHeaders, host: Authority, isSecure: Bool) -> Verdict {
        let values = headers["Origin"]
        guard let text = values.first else {
            // Browsers that state no origin state at least whether the page is of another site (Fetch Metadata).
            return ["cross-site", "same-site"].contains(headers.first(name: "Sec-Fetch-Site") ?? "") ? .refused : .own
        }
        guard values.count == 1, let origin = Origin(text) else { return .refused }
        if origin == Origin(host, isSecure: isSecure) { return .own }
        return allowed.contains(origin) ? .permitted(origin) : .refused
    }
}
