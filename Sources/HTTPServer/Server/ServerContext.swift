import HTTP
import Logging
import RTSP
import Streams
import Synchronization
import TLS

/// What all connections of the server share. Thread-safe.
final class ServerContext: Sendable {
    let options: ServerOptions
    let services: any HTTPSharedServices
    let router: Router
    let catalog: any StreamCatalog
    let nonces: ServerNonces
    let tokens: AccessTokens
    let hosts: OwnHosts
    let date = CurrentDate()
    let log: ServerLog
    let identity: CurrentIdentity
    /// The ports at which it listens.
    let ports: (clear: UInt16?, tls: UInt16?)
    /// Limits the memory of fast starts.
    let fastStartBudget: MemoryBudget
    /// The live viewers of each event loop.
    let live = LiveLoops()
    /// The streams that are served as HLS.
    let playbacks: Playbacks

    init(
        _ options: ServerOptions, services: any HTTPSharedServices, routes: [Route], _ catalog: any StreamCatalog,
        identity: CurrentIdentity,
        ports: (clear: UInt16?, tls: UInt16?), log: Logger
    ) {
        let random: @Sendable () -> UInt64 = {
            var numbers = SystemRandomNumberGenerator()
            return numbers.next()
        }
        self.options = options
        self.services = services
        self.log = ServerLog(log)
        (router, self.catalog) = (Router(routes: routes), catalog)
        nonces = ServerNonces(random: random)
        tokens = AccessTokens(random: random)
        hosts = OwnHosts(options.hosts)
        (self.identity, self.ports) = (identity, ports)
        fastStartBudget = MemoryBudget(maximumByteCount: options.maximumFastStartByteCount)
        playbacks = Playbacks(options.playback)
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
