import HTTP
import Logging
import RTSP
import Synchronization
import TLS

/// What all connections of the server share. Thread-safe.
final class ServerContext: Sendable {
    let options: ServerOptions
    let services: any SharedServices
    let router: Router
    let nonces: ServerNonces
    let tokens: AccessTokens
    let hosts: OwnHosts
    let log: ServerLog
    let identity: CurrentIdentity

    init(
        _ options: ServerOptions, services: any SharedServices, routes: [Route], identity: CurrentIdentity,
        log: Logger
    ) {
        let random: @Sendable () -> UInt64 = {
            var numbers = SystemRandomNumberGenerator()
            return numbers.next()
        }
        self.options = options
        self.services = services
        self.log = ServerLog(log)
        router = Router(routes: routes)
        nonces = ServerNonces(random: random)
        tokens = AccessTokens(random: random)
        hosts = OwnHosts(options.hosts)
        self.identity = identity
    }
}

/// The certificate for new connections; `nil` without TLS. Thread-safe.
final class CurrentIdentity: Sendable {
    private let identity: Mutex<ServerIdentity?>

    init(_ identity: ServerIdentity?) {
        self.identity = Mutex(identity)
    }

    var value: ServerIdentity? {
        get { identity.withLock { $0 } }
        set { identity.withLock { $0 = newValue } }
    }
}
