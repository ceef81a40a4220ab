/// All that can be set. What of it may change while the server runs: `ConfigurationDifference`.
///
/// Units, defaults and reasons stand in `Schema+Configuration.swift`, from which the decoder and the reference file are made.
public struct Configuration: Hashable, Sendable {
    public var server = Server()
    public var tls = TLS()
    public var log = Log()
    public var control = Control()
    public var loops = Loops()
    public var limits = Limits()
    public var access = Access()
    /// By name; without any, this host watches freely, and others with the viewer's password.
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
        /// Numeric; empty for all of the host's, IPv6 and IPv4.
        public var address = ""
        public var sessionTimeoutSeconds = 60

        public init() {}
    }

    /// What is told on standard error.
    public struct Log: Hashable, Sendable {
        public var level = Level.info
        public var statusSeconds = 0

        public init() {}

        public enum Level: String, CaseIterable, Sendable {
            case trace, debug, info, notice, warning, error, critical
        }
    }

    /// How a running server is spoken to.
    public struct Control: Hashable, Sendable {
        /// Path of the socket; `auto` for one that goes by the port, empty for none.
        public var socket = "auto"

        public init() {}
    }

    /// The threads that serve viewers.
    public struct Loops: Hashable, Sendable {
        /// 0 for one per core.
        public var threads = 0

        public init() {}
    }

    /// What any one client may take.
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

    /// Packets and the ports that they leave from.
    public struct RTP: Hashable, Sendable {
        public var maximumPacketBytes = 1400
        /// What IPv6 carries on Ethernet.
        static let longestPacketBytes = 1452
        public var firstUDPPort = 6970
        public var lastUDPPort = 7169
        public var dscp = 0
        public var separateSockets = 512

        public init() {}
    }

    /// The groups that multicast paths are given, in the order of their names.
    public struct Multicast: Hashable, Sendable {
        public var firstGroup = MulticastGroup.firstDefault
        public var lastGroup = MulticastGroup.lastDefault
        /// RTP port of the first track; RTCP is one above, the next track two above.
        public var port = 5004
        public var timeToLive = 1
        /// Numeric address of the interface to send through; empty for the default route's.
        public var interface = ""

        public init() {}

        /// Port of a path's MPEG-TS: behind the pairs of four tracks, so that no track shares it.
        public var transportStreamPort: Int { port + 8 }
    }

    /// How large pictures are spread over time on UDP.
    public struct Pacing: Hashable, Sendable {
        /// 0 leaves bursts as they are.
        public var intervalPercent = 0
        public var leastKilobytes = 32

        public init() {}
    }

    /// How a viewer gets its first picture.
    public struct Join: Hashable, Sendable {
        public var mode = Mode.auto
        public var fastStartMilliseconds = 120
        public var minimumFastStartFrames = 20
        public var maximumFastStartFrames = 150
        public var maximumFastStartBytes = 1_000_000
        public var totalFastStartBytes = 64_000_000

        public init() {}

        /// Where a viewer's first picture comes from.
        public enum Mode: String, CaseIterable, Sendable {
            /// A prelude where it fits its limits, else the next random access point.
            case auto
            /// The same, spelled out.
            case fastStart = "prelude"
            /// Only live pictures, from the next random access point on.
            case keyframe
        }
    }

    /// How much of each stream is kept.
    public struct Ring: Hashable, Sendable {
        public var seconds = 12
        public var bytes = 16_000_000

        public init() {}
    }

    /// How often viewers may make an encoder start a new group of pictures.
    public struct RandomAccess: Hashable, Sendable {
        public var burst = 3
        public var intervalMilliseconds = 500

        public init() {}
    }
}
