/// All options of the server and its paths. `ConfigurationDifference` decides which of them can change while the server runs.
///
/// `Schema+Configuration.swift` has the units, the limits and the reasons; the decoder and the reference file are made from it.
public struct Configuration: Hashable, Sendable {
    public var server = Server()
    public var tls = TLS()
    public var log = Log()
    public var control = Control()
    public var loops = Loops()
    public var limits = Limits()
    public var access = Access()
    /// By name. Without users, clients on this host need no password, and other hosts need the viewer's password.
    public var users: [String: User] = [:]
    public var rtp = RTP()
    public var multicast = Multicast()
    public var pacing = Pacing()
    public var join = Join()
    public var ring = Ring()
    public var keyframeRequests = RandomAccess()
    /// By name: `cam` is served at `/cam`.
    public var paths: [String: Path] = [:]

    public init() {}

    /// Where clients connect.
    public struct Server: Hashable, Sendable {
        public var port = 8554
        /// Numeric; empty for all addresses of the host, IPv6 and IPv4.
        public var address = ""
        public var sessionTimeoutSeconds = 60

        public init() {}
    }

    /// The log on standard error.
    public struct Log: Hashable, Sendable {
        public var level = Level.info
        public var statusSeconds = 0

        public init() {}

        public enum Level: String, CaseIterable, Sendable {
            case trace, debug, info, notice, warning, error, critical
        }
    }

    /// The socket for commands to the running server.
    public struct Control: Hashable, Sendable {
        /// Path of the socket; `auto` for one named after the port, empty for none.
        public var socket = "auto"

        public init() {}
    }

    /// The threads that serve viewers.
    public struct Loops: Hashable, Sendable {
        /// 0 for one per core.
        public var threads = 0

        public init() {}
    }

    /// What one client may use.
    public struct Limits: Hashable, Sendable {
        public var requestHeadBytes = 16_384
        public var requestHeaders = 64
        public var urlBytes = 2048
        public var bodyBytes = 65_536
        public var requestHeadSeconds = 10
        public var idleConnectionSeconds = 60
        public var handshakeSeconds = 10
        public var handshakeBytes = 16_384
        public var connections = 8192
        public var connectionsPerAddress = 64
        public var connectionsPerNetwork = 256
        public var unfinishedHandshakes = 512
        public var sessionsPerConnection = 8
        public var transportOffers = 16
        public var viewers = 4096
        public var viewerLagMilliseconds = 500
        public var viewerStallSeconds = 10

        public init() {}
    }

    /// RTP packets, and the UDP ports that they are sent from.
    public struct RTP: Hashable, Sendable {
        public var maximumPacketBytes = 1400
        /// The maximum of IPv6 on Ethernet.
        static let longestPacketBytes = 1452
        public var firstUDPPort = 6970
        public var lastUDPPort = 7169
        public var dscp = 0
        public var separateSockets = 512

        public init() {}
    }

    /// The groups that multicast paths get, in the order of their names.
    public struct Multicast: Hashable, Sendable {
        public var firstGroup = MulticastGroup.firstDefault
        public var lastGroup = MulticastGroup.lastDefault
        /// RTP port of the first track. RTCP uses the next port, the second track the next two ports, and so on.
        public var port = 5004
        public var timeToLive = 1
        /// Numeric address of the interface to send from; empty for the interface of the default route.
        public var interface = ""

        public init() {}

        /// Port of a path's MPEG-TS: above the ports of four tracks, so that no track uses it.
        public var transportStreamPort: Int { port + 8 }
    }

    /// How the packets of large frames are spread over time on UDP.
    public struct Pacing: Hashable, Sendable {
        /// Of the time between two frames; 0 for no pacing.
        public var intervalPercent = 0
        public var leastKilobytes = 32

        public init() {}
    }

    /// How a viewer that joins gets its first frame.
    public struct Join: Hashable, Sendable {
        public var mode = Mode.auto
        public var fastStartMilliseconds = 120
        public var minimumFastStartFrames = 20
        public var maximumFastStartFrames = 150
        public var maximumFastStartBytes = 1_000_000
        public var totalFastStartBytes = 64_000_000

        public init() {}

        /// What a viewer gets first. The raw values are the words of the configuration.
        public enum Mode: String, CaseIterable, Sendable {
            /// A fast start within its limits, otherwise the next keyframe. Clients known as recorders get the next keyframe.
            case auto
            /// The same, also for recorders.
            case fastStart
            /// Only live frames, from the next keyframe.
            case keyframe
        }
    }

    /// How much recent media each stream keeps.
    public struct Ring: Hashable, Sendable {
        public var seconds = 12
        public var bytes = 16_000_000

        public init() {}
    }

    /// How often viewers may make an encoder send a keyframe.
    public struct RandomAccess: Hashable, Sendable {
        public var burst = 3
        public var intervalMilliseconds = 500

        public init() {}
    }
}
