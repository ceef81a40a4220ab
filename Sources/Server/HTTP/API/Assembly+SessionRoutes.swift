import HTTPServer

extension Assembly {
    /// The sessions of browsers.
    func sessionRoutes() -> [Route] {
        [
            Route(.path("/api/v1/session"), [.post], for: .everyone, parameters: []) { request, exchange in
                do throws(Problem) {
                    let login: Login = try request.jsonBody()
                    exchange.logIn(user: login.user, password: login.password, by: request)
                } catch {
                    exchange.refuse(error)
                }
            },
            Route(.path("/api/v1/session"), [.delete], for: .everyone, parameters: []) { request, exchange in
                exchange.logOut(request)
            },
        ]
    }
}

/// What a form sends.
private struct Login: Decodable {
    let user: String
    let password: String
}
