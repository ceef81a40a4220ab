import RTP
import RTSP
import RTSPServer
import Reactor
import TLS

// The options of the RTSP server, from the configuration. The schema's ranges keep every conversion exact.

extension RTSPServer.ServerOptions {
    /// - Parameter identity: the certificate for clients with TLS; `nil` without TLS.
    init(
        _ configuration: Configuration, access: AccessPolicy?, authoriser: (any ExternalAuthoriser)? = nil,
        identity: ServerIdentity? = nil
    ) {
        self.init()
        if let identity { encryption = Encryption(configuration, identity) }
        port = UInt16(clamping: configuration.server.port)
        address = configuration.server.address.isEmpty ? nil : configuration.server.address
        let threads = configuration.loops.threads
        loopCount = threads > 0 ? threads : max(1, Processors.usable().count)
        let firstUDPPort = UInt16(clamping: configuration.rtp.firstUDPPort)
        loop.udpPorts = firstUDPPort...max(firstUDPPort, UInt16(clamping: configuration.rtp.lastUDPPort))
        loop.codePoint = configuration.rtp.dscp > 0 ? UInt8(clamping: configuration.rtp.dscp) : nil
        loop.maximumSeparateSockets = configuration.rtp.separateSockets
        maximumViewers = configuration.limits.viewers
        connectionLimits.total = configuration.limits.connections
        connectionLimits.perAddress = configuration.limits.connectionsPerAddress
        connectionLimits.perNetwork = configuration.limits.connectionsPerNetwork
        connectionLimits.unfinishedHandshakes = configuration.limits.unfinishedHandshakes
        maximumFastStartByteCount = configuration.join.totalFastStartBytes
        setConnection(configuration)
        self.access = access
        self.authoriser = authoriser
        loop.delivery.packaging = .init(maximumPacketBytes: configuration.rtp.maximumPacketBytes)
        loop.delivery.policy.maximumLag = Int64(configuration.limits.viewerLagMilliseconds) * 1_000_000
        loop.delivery.pacing.share = Double(configuration.pacing.intervalPercent) / 100
        loop.delivery.pacing.leastByteCount = configuration.pacing.leastKilobytes * 1000
        network.retransmits = configuration.network.retransmit
        network.duplicates = configuration.network.duplicate
        network.duplicatedAddresses = configuration.network.duplicateTo
        network.fallsToTCP = configuration.network.fallToTCP
        network.movesAllClients = configuration.network.moveAllClients
        loop.delivery.repair.viewerLimits.percent = Int64(configuration.network.retransmitPercent)
        loop.delivery.repair.viewerLimits.burstPackets = Int64(configuration.network.retransmitBurstPackets)
        loop.delivery.repair.loopBytesPerSecond = Int64(configuration.network.retransmitMegabitsPerLoop) * 125_000
        loop.delivery.policy.maximumStall = Int64(configuration.limits.viewerStallSeconds) * 1_000_000_000
    }

    private mutating func setConnection(_ configuration: Configuration) {
        connection.serverName = "apus/\(apusVersion)"
        connection.sessionTimeoutSeconds = configuration.server.sessionTimeoutSeconds
        connection.messageSeconds = configuration.limits.requestHeadSeconds
        connection.idleSeconds = configuration.limits.idleConnectionSeconds
        connection.maximumSessionCount = configuration.limits.sessionsPerConnection
        connection.maximumOfferCount = configuration.limits.transportOffers
        connection.messageLimits.headByteCount = configuration.limits.requestHeadBytes
        connection.messageLimits.headerCount = configuration.limits.requestHeaders
        connection.messageLimits.urlByteCount = configuration.limits.urlBytes
        connection.messageLimits.bodyByteCount = configuration.limits.bodyBytes
    }
}

extension Encryption {
    init(_ configuration: Configuration, _ identity: ServerIdentity) {
        var options = TLSOptions(port: UInt16(clamping: configuration.tls.port), identity: identity)
        options.srtp = configuration.tls.srtp
        options.handshake.seconds = configuration.limits.handshakeSeconds
        options.handshake.byteCount = configuration.limits.handshakeBytes
        self =
            switch configuration.tls.encryption {
            case .no: .no
            case .optional: .optional(options)
            case .strict: .strict(options)
            }
    }
}

extension PathOptions {
    /// The options of the path `name`.
    init(_ name: String, _ path: Configuration.Path, in configuration: Configuration) {
        self.init(title: path.title.isEmpty ? name : path.title)
        hasDefaultTitle = path.title.isEmpty
        description = path.description.isEmpty ? nil : path.description
        keywords = path.keywords
        parent = path.source.parent.map { "/\($0)" }
        headerExtensions = path.headerExtensions
        let settings = configuration.join
        join.mode = path.join ?? settings.mode
        join.fastStartWindow = Int64(settings.fastStartMilliseconds) * 1_000_000
        join.fastStart.minimumFrames = settings.minimumFastStartFrames
        join.fastStart.maximumFrames = settings.maximumFastStartFrames
        join.fastStart.maximumByteCount = settings.maximumFastStartBytes
        let section = configuration.multicast
        multicast = configuration.multicastOptions(of: name, path.multicast, port: section.port)
        multicastTransportStream = configuration.multicastOptions(
            of: name, path.multicastTransportStream, port: section.transportStreamPort)
        multicast?.headerExtensions = headerExtensions
    }
}

extension Configuration.Path {
    /// The header extensions of its RTP packets.
    var headerExtensions: HeaderExtensionLayout {
        HeaderExtensionLayout(absoluteCaptureTime ? [.absoluteCaptureTime] : [])
    }
}

extension Configuration {
    /// How the path `name` is sent to `port` of its group; `nil` if it is not multicast.
    fileprivate func multicastOptions(of name: String, _ when: Path.Multicasting, port: Int) -> MulticastOptions? {
        guard when != .off, let group = multicastGroups[name] else { return nil }
        return MulticastOptions(
            group: "\(group)", port: UInt16(clamping: port), timeToLive: UInt8(clamping: multicast.timeToLive),
            interface: multicast.interface.isEmpty ? nil : multicast.interface, isAlwaysOn: when == .always)
    }
}
