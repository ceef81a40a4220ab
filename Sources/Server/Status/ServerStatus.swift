import Media
import RTSPServer
import Streams

/// What `apus status` shows of a running server: `--json` prints it as it is.
public struct ServerStatus: Hashable, Sendable, Codable {
    public let version: String
    /// Since it was started, in seconds.
    public let uptime: Double
    /// By path.
    public let streams: [StreamLine]
    /// Who plays, by path and address.
    public let viewers: [ViewerLine]
    /// Of each event loop, since it was started.
    public let loops: [LoopLine]

    public struct StreamLine: Hashable, Sendable, Codable {
        public let path: String
        /// What feeds it.
        public let source: String
        /// The state of the source.
        public let condition: Condition
        /// Pictures published, since the stream was made.
        public let pictures: Int
        /// Of all tracks.
        public let bytes: Int
        /// Pictures left out, and the encoder's average quantizer, of pictures that are coded here.
        public let skipped: Int?
        public let averageQuantizer: Double?
        /// Milliseconds that pictures spent in each stage, since the stream was made.
        public let stages: LatencyTrace.Summary
        /// The last pictures one by one, where they were asked for.
        public let pictureTimes: [PictureTimes]?
    }

    /// The state of a source.
    public struct Condition: Hashable, Sendable, Codable {
        /// `starting`, `running`, `failing` or `ended`.
        public let state: String
        /// Since when, as `2026-11-21T09:08:07.006Z`.
        public let since: String
        /// The same in seconds before now.
        public let seconds: Double
        /// Why it is failing, and what to do about it.
        public let reason: String?
        /// When it is started again, as `since`.
        public let nextTry: String?
        /// The same in seconds from now on.
        public let secondsToNextTry: Double?
    }

    /// The instants of one picture's way, in nanoseconds of CLOCK_MONOTONIC.
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
        public let path: String
        public let peer: String
        public let client: String?
        public let transport: String
        /// How long it has been playing, in seconds.
        public let playing: Double
        /// Media time that has not been sent, or read, in milliseconds.
        public let backlog: Double
        public let unreadBytes: Int
        public let droppedUnits: UInt64
    }

    public struct LoopLine: Hashable, Sendable, Codable {
        public let packets: UInt64
        public let bytes: UInt64
        public let messages: UInt64
        public let systemCalls: UInt64
        public let units: UInt64
        public let droppedUnits: UInt64
        public let refusedMessages: UInt64
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
    init(_ path: ServedPath, hasPictureTimes: Bool, at now: ClockReading) {
        let (published, encoded) = (path.stream.published, path.status)
        self.path = path.stream.path
        source = path.source.label
        condition = ServerStatus.Condition(path.supervisor.condition, at: now)
        pictures = published.pictureCount
        bytes = published.byteCount
        skipped = encoded?.skippedCount
        averageQuantizer = encoded?.averageQuantizer
        stages = path.stream.latencyTrace.summary
        pictureTimes = hasPictureTimes ? path.stream.latencyTrace.recent.map(ServerStatus.PictureTimes.init) : nil
    }
}

extension ServerStatus.Condition {
    init(_ condition: SourceCondition, at now: ClockReading) {
        func text(_ instant: MonotonicTime) -> String {
            timestamp(unixNanoseconds: now.unixNanoseconds + (instant - now.monotonic))
        }
        state = condition.state.rawValue
        since = text(condition.since)
        seconds = max(0, Double(now.monotonic - condition.since) / 1_000_000_000)
        reason = condition.reason
        nextTry = condition.nextTry.map(text)
        secondsToNextTry = condition.nextTry.map { max(0, Double($0 - now.monotonic) / 1_000_000_000) }
    }
}

extension ServerStatus.ViewerLine {
    init(_ viewer: ViewerStatus, at now: MonotonicTime) {
        path = viewer.path
        peer = viewer.peer
        client = viewer.client
        transport = viewer.transport
        playing = Double(now - viewer.startedAt) / 1_000_000_000
        backlog = Double(viewer.backlog.nanoseconds) / 1_000_000
        unreadBytes = viewer.backlog.unreadByteCount
        droppedUnits = viewer.backlog.droppedUnits
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
    }
}
