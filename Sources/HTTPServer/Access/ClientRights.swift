import HTTP
import RTSP

/// The user of a client, and its rights under the access policy of the moment.
public struct ClientRights: Sendable {
    /// `nil` if it did not authenticate.
    let user: String?
    /// What its user may do.
    private let grant: Grant?
    /// The rights that it has without a user.
    private let free: Set<Right>
    /// How it can become another user: `form`, `browser`, or not at all.
    let signIn: String?

    /// The rights that the API names. To publish, a client needs a user, wherever it is.
    private static let named: [Right] = [.read, .publish, .control, .status]

    init(user: Grant?, free: Set<Right>, signIn: String?) {
        (self.user, grant, self.free, self.signIn) = (user?.user, user, free, signIn)
    }

    /// The rights that it has.
    ///
    /// - Parameter path: the path of a stream; `nil` for the server as a whole.
    func rights(at path: String?) -> [Right] { Self.named.filter { admits($0, path) } }

    /// - Parameter path: the path of a stream; `nil` for the server as a whole.
    public func admits(_ right: Right, _ path: String?) -> Bool {
        free.contains(right) || grant?.admits(right, path) == true
    }
}

extension AccessControl {
    /// The user and the rights of the client that sent a request.
    func rights(of request: Request) -> ClientRights {
        guard let policy = context.services.access.policy else {
            let isHere = request.identity.endpoint.isLoopback
            return ClientRights(user: nil, free: isHere ? [.read, .status] : [.read], signIn: nil)
        }
        let endpoint = request.identity.endpoint
        var free: Set<Right> = []
        for right in [Right.read, .status] where !policy.requiresAuthentication(of: endpoint, for: right) {
            free.insert(right)
        }
        let signIn = request.identity.security == .tls ? "form" : "browser"
        return ClientRights(user: user(of: request), free: free, signIn: signIn)
    }

    /// The grant of the user as which the client has authenticated, also if the request needed none.
    private func user(of request: Request) -> Grant? {
        if request.grant.user != nil { return request.grant }
        for right in [Right.control, .status, .publish] {
            let question = Question(
                client: request.identity, right: right, path: request.streamPath, method: request.method.rawValue,
                target: request.target, headers: request.headers)
            if case .granted(let grant) = authorise(question), grant.user != nil { return grant }
        }
        return nil
    }
}
