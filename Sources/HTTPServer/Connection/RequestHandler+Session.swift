import NIOHTTP1
import RTSP

/// The sessions of browsers that begin with a form.
extension RequestHandler {
    /// Checks a user and a password as if they had come by Basic: with the same lock-out and delay.
    func logIn(user: String, password: String, by request: Request, _ number: UInt64) {
        guard current?.number == number else { return }
        let client = request.identity
        guard client.security == .tls else {
            return refuse(
                Problem(.forbidden, "a password in a form needs TLS: use https://, or the browser's own dialog"))
        }
        let headers = HTTPHeaders([
            ("Authorization", Authorization.basicHeaderValue(user: user, password: password))
        ])
        let question = AccessControl.Question(
            client: client, right: .read, path: nil, method: request.method.rawValue, target: request.target,
            headers: headers)
        switch access.authorise(question) {
        case .granted(let grant):
            guard let user = grant.user, let cookie = access.sessionCookie(of: user, client) else {
                fallthrough
            }
            respond(Response(.noContent, headers: [("Set-Cookie", cookie)]), to: number)
        case .undecided:
            refuse(Problem(.forbidden, "only users of the configuration have sessions; use the browser's own dialog"))
        case .refused(let problem, let failure): refuse(problem.withoutDialog, because: failure, client)
        }
    }
}

extension Problem {
    /// The same with a challenge that no browser knows, so that the page's form asks again and not the browser's dialog. The header
    /// must be there (RFC 9110, section 15.5.2).
    fileprivate var withoutDialog: Self {
        guard status == .unauthorized else { return self }
        return Self(status, detail, headers: [Header(name: "WWW-Authenticate", value: "Form")])
    }
}
