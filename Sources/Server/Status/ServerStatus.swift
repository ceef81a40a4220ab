import Delivery
import HTTPServer
import Media
import RTMPServer
import RTSPServer
import RateControl
import SRTServer
import Streams

/// What `apus status` shows of a running server. `--json` prints it as it is, so the names of properties are JSON keys.
public struct ServerStatus: Hashable, Sendable, Codable {
    public let version: String
    /// Time since the start, in seconds.
    public let uptime: Double
    /// By path.
    public let streams: [StreamLine]
    /// Clients that play, by path and address.
    public let viewers: [ViewerLine]
    /// Counters of each event loop, since the start.
    public let loops: [LoopLine]
    /// Why settings that were changed over HTTP are lost at the next start; `nil` if they are not.
    public let settingsProblem: String?
    /// The web servers to which events are posted, in the order of the configuration.
    public let webhooks: [WebhookLine]

    public struct StreamLine: Hashable, Sendable, Codable {
        public let path: String
        /// The label of its source.
        public let source: String
        /// The state of the source.
        public let condition: Condition
        /// How often the source was started again after a failure.
        public let restarts: Int
        /// The last failure and when it was, in the format of `condition.since`; `nil` if the source has never failed.
        public let lastFailure: String?
        public let lastFailureAt: String?
        /// What the source receives over the network; `nil` if nothing.
        public let input: InputLine?
        /// Frames published, since the stream was created.
        public let pictures: Int
        /// Bytes of all tracks.
        public let bytes: Int
        /// Frames skipped, and the encoder's average quantizer; `nil` if Apus does not encode this stream.
        public let skipped: Int?
        public let averageQuantizer: Double?
        /// The bitrate that the encoder is asked for, in bit/s, and why; `nil` if it does not follow the viewers.
        public let requestedBitrate: Int64?
        public let bitrateReason: String?
        /// The frames that the encoder makes now, which may be fewer and smaller than configured if it follows the viewers; `nil` if
        /// Apus does not encode this stream.
        public let encoded: EncodedLine?
        /// Milliseconds that frames spent in each stage, since the stream was created.
        public let stages: LatencyTrace.Summary
        /// The last frames one by one, if they were requested.
        public let pictureTimes: [PictureTimes]?
        /// The servers to which the stream is published, in the order of the configuration.
        public let forwards: [ForwardLine]
    }

    /// Frames that an encoder makes.
    public struct EncodedLine: Hashable, Sendable, Codable {
        public let width: Int
        public let height: Int
        public let frameRate: Double
    }

    /// The state of a source or of a forward.
    public struct Condition: Hashable, Sendable, Codable {
        /// Of a source: `starting`, `running`, `failing`, `ended` or `sleeping`; of a forward: `waiting` (for media), `connecting`,
        /// `forwarding` or `failing`.
        public let state: String
        /// Since when: `2026-11-21T09:08:07.006Z`.
        public let since: String
        /// The same time, in seconds before now.
        public let seconds: Double
        /// Why it is failing, and what to do about it.
        public let reason: String?
        /// When it is started again, in the format of `since`.
        public let nextTry: String?
        /// The same time, in seconds from now.
        public let secondsToNextTry: Double?
    }

    /// The times at which one frame passed each stage, in nanoseconds of CLOCK_MONOTONIC.
    public struct PictureTimes: Hashable, Sendable, Codable {
        public let frameNumber: UInt32?
        public let captured: Int64
        public let encoderIn: Int64?
        public let encoderOut: Int64?
        public let packaged: Int64?
        public let firstSent: Int64?
        public let lastSent: Int64?
    }

    public struct ViewerLine: Hashable, Sendable, Codable {
        /// Names the viewer. No other viewer ever has this name.
        public let id: String
        public let path: String
        public let peer: String
        public let client: String?
        /// The user as which it has authenticated; `nil` without authentication.
        public let user: String?
        public let transport: String
        /// Time since PLAY, in seconds.
        public let playing: Double
        /// Media that is not yet sent or read, in milliseconds of media time.
        public let backlog: Double
        public let unreadBytes: Int
        public let droppedUnits: UInt64
        /// `nil` if nothing is known, as over HTTP.
        public let network: NetworkLine?
    }

    /// How well the packets of a viewer arrive. Packets are counted since the viewer was set up.
    public struct NetworkLine: Hashable, Sendable, Codable {
        /// Lost on the way, before any was sent again; `nil` if the client does not ask for lost packets.
        public let lost: UInt64?
        /// Sent again.
        public let retransmitted: UInt64?
        /// Not sent again, because it was too late, the budget was exhausted, or the request made no sense.
        public let refused: UInt64?
        /// What the client still lacks, by its reports; `nil` without a report.
        public let missing: Int64?
        /// Milliseconds; `nil` if the client has sent no times.
        public let roundTrip: Double?
        /// Bytes that a client over RTMP has not acknowledged; `nil` if it acknowledges none.
        public let bytesInFlight: UInt64?
        /// The bitrate that the path carries, in bit/s, and why it is not more; `nil` if neither the encoder nor the choice of a rendition
        /// follows it.
        public let capacity: Int64?
        public let capacityReason: String?
        /// The path of the substream that the viewer gets instead, because its path carries no more; `nil` if it gets what it asked for.
        public let rendition: String?
    }

    public struct LoopLine: Hashable, Sendable, Codable {
        public let packets: UInt64
        public let bytes: UInt64
        public let messages: UInt64
        public let systemCalls: UInt64
        public let units: UInt64
        public let droppedUnits: UInt64
        public let refusedMessages: UInt64
        public let retransmittedPackets: UInt64
    }
}

extension ServerStatus.PictureTimes {
    init(_ frameTrace: FrameTrace) {
        frameNumber = frameTrace.frameNumber
        captured = frameTrace.captured.nanoseconds
        encoderIn = frameTrace.encoderIn?.nanoseconds
        encoderOut = frameTrace.encoderOut?.nanoseconds
        packaged = frameTrace.packaged?.nanoseconds
        firstSent = frameTrace.firstSent?.nanoseconds
        lastSent = frameTrace.lastSent?.nanoseconds
    }
}

extension ServerStatus.StreamLine {
    /// - Parameter srt: what libsrt has counted on the connection by which the stream is received; `nil` if it is not received over SRT.
    init(
        _ path: ServedPath, _ forwards: [any PathForward], srt: SRTStatistics?, hasPictureTimes: Bool,
        at now: ClockReading
    ) {
        let (published, encoded) = (path.stream.published, path.status)
        self.path = path.stream.path
        source = path.source.label
        let present = path.supervisor.condition
        condition = ServerStatus.Condition(present, at: now)
        restarts = present.restartCount
        lastFailure = present.lastFailure?.reason
        lastFailureAt = present.lastFailure.map { ServerStatus.timestamp(of: $0.at, at: now) }
        input = path.source.input.map { ServerStatus.InputLine($0, srt) }
        pictures = published.pictureCount
        bytes = published.byteCount
        skipped = encoded?.skippedCount
        averageQuantizer = encoded?.averageQuantizer
        let decision = path.stream.rates?.decision
        requestedBitrate = decision?.order.bitrate.bitsPerSecond
        bitrateReason = decision?.reason.description
        self.encoded = encoded?.encodedFrames.map(ServerStatus.EncodedLine.init)
        stages = path.stream.latencyTrace.summary
        pictureTimes = hasPictureTimes ? path.stream.latencyTrace.recent.map(ServerStatus.PictureTimes.init) : nil
        self.forwards = forwards.map { ServerStatus.ForwardLine($0, at: now) }
    }
}

extension ServerStatus.EncodedLine {
    init(_ frames: FrameFormat) {
        (width, height, frameRate) = (frames.width, frames.height, frames.framesPerSecond)
    }
}

extension ServerStatus {
    /// An instant as text.
    static func timestamp(of instant: MonotonicTime, at now: ClockReading) -> String {
        Media.timestamp(unixNanoseconds: now.unixNanoseconds + (instant - now.monotonic))
    }
}

extension ServerStatus.Condition {
    init(_ condition: SourceCondition, at now: ClockReading) {
        self.init(
            condition.state.rawValue, since: condition.since, because: condition.reason, nextTry: condition.nextTry,
            at: now)
    }

    init(
        _ state: String, since: MonotonicTime, because reason: String?, nextTry: MonotonicTime?, at now: ClockReading
    ) {
        (self.state, self.reason) = (state, reason)
        self.since = ServerStatus.timestamp(of: since, at: now)
        seconds = max(0, Double(now.monotonic - since) / 1_000_000_000)
        self.nextTry = nextTry.map { ServerStatus.timestamp(of: $0, at: now) }
        secondsToNextTry = nextTry.map { max(0, Double($0 - now.monotonic) / 1_000_000_000) }
    }
}

extension ServerStatus.ViewerLine {
    init(_ viewer: RTSPServer.ViewerStatus, at now: MonotonicTime) {
        id = viewer.id.description
        path = viewer.path
        peer = viewer.peer
        client = viewer.client
        user = viewer.user
        transport = viewer.transport
        playing = Double(now - viewer.startedAt) / 1_000_000_000
        backlog = Double(viewer.backlog.nanoseconds) / 1_000_000
        unreadBytes = viewer.backlog.unreadByteCount
        droppedUnits = viewer.backlog.droppedUnits
        network = ServerStatus.NetworkLine(viewer.network)
    }
}

extension ServerStatus.NetworkLine {
    /// `nil` if nothing is known.
    init?(_ network: ViewerNetwork) {
        guard network != ViewerNetwork() else { return nil }
        lost = network.repair?.lost
        retransmitted = network.repair?.retransmitted
        refused = network.repair.map { $0.tooLate + $0.overBudget + $0.ignored }
        missing = network.missingPackets
        roundTrip = network.roundTripNanoseconds.map { Double($0) / 1_000_000 }
        bytesInFlight = network.bytesInFlight
        capacity = network.capacity?.rate.bitsPerSecond
        capacityReason = network.capacity?.reason.description
        rendition = network.rendition
    }
}

extension ServerStatus.ViewerLine {
    init(_ viewer: FollowerStatus, at now: MonotonicTime) {
        id = viewer.id
        path = viewer.path
        peer = viewer.peer
        client = viewer.client
        user = viewer.user
        transport = viewer.transport
        playing = Double(now - viewer.startedAt) / 1_000_000_000
        backlog = Double(viewer.lag) / 1_000_000
        unreadBytes = viewer.unreadByteCount
        droppedUnits = viewer.droppedUnits
        var network = ViewerNetwork()
        (network.roundTripNanoseconds, network.capacity) = (viewer.roundTrip, viewer.capacity)
        network.bytesInFlight = viewer.bytesInFlight
        if let repair = viewer.repair {
            var counts = RepairCounts()
            counts.lost = UInt64(clamping: repair.lost)
            counts.retransmitted = UInt64(clamping: repair.retransmitted)
            (network.repair, network.missingPackets) = (counts, repair.missing)
        }
        self.network = ServerStatus.NetworkLine(network)
    }
}

extension ServerStatus.LoopLine {
    init(_ sent: RTSPServer.Server.Statistics) {
        packets = sent.packets
        bytes = sent.bytes
        messages = sent.messages
        systemCalls = sent.systemCalls
        units = sent.units
        droppedUnits = sent.droppedUnits
        refusedMessages = sent.refusedMessages
        retransmittedPackets = sent.retransmittedPackets
    }
}
