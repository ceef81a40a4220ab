/// The headers of every response that keep browsers from doing more with it than it is for. A route may set others.
enum SecurityHeaders {
    /// - Parameter isOpenToPages: whether pages of other servers may use this server (`http.origins`).
    static func all(isOpenToPages: Bool) -> [(name: String, value: String)] { isOpenToPages ? open : closed }

    private static let open = make(isOpenToPages: true)
    private static let closed = make(isOpenToPages: false)

    private static func make(isOpenToPages: Bool) -> [(name: String, value: String)] {
        [
            // Nothing is loaded or run by a response that is no page.
            ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
            // A response is what its type says.
            ("X-Content-Type-Options", "nosniff"),
            // No other server learns a URL, which may contain a token.
            ("Referrer-Policy", "no-referrer"),
            // Pages of other servers cannot embed what only this host may watch.
            ("Cross-Origin-Resource-Policy", isOpenToPages ? "cross-origin" : "same-origin"),
            ("Cache-Control", "no-store"),
        ]
    }
}
