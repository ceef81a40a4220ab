import Media
import RTSPClient
import Reactor

/// The task of `apus measure`.
public struct MeasurePlan: Sendable {
    public var stream: PlayedStream
    /// The number of live frames to measure; `nil` for a limit by time alone.
    public var frames: Int?
    /// The seconds of live frames to measure, even if there are fewer than `frames`.
    public var seconds: Double
    /// How long to wait for a response, the first frame, or the next frame.
    public var timeoutMilliseconds: Int64 = 10_000
    public var clocks = ClockRelation.Assumption.auto
    /// Whether the server's address belongs to this host.
    var isOwnAddress: Bool

    /// Frames in this time after the first packet count only for the times of the start, in nanoseconds. They may belong to a
    /// fast start, and decoder and caches are cold.
    static let settling: Int64 = 1_000_000_000

    /// If this host's addresses cannot be listed, the server is treated as another host.
    private static func isOwn(_ server: SocketAddress) -> Bool {
        let addresses = (try? LocalAddresses.all()) ?? []
        return addresses.contains { $0.with(port: 0) == server.with(port: 0) }
    }

    /// Plans a measurement that requests lost packets, as long as the measurement awaits them.
    public init(_ stream: PlayedStream, seconds: Double) {
        self.stream = stream
        self.stream.repairPatience = FrameAssembler.gapTimeout
        self.seconds = seconds
        isOwnAddress = stream.serverAddress.map { $0.isLoopback || Self.isOwn($0) } ?? false
    }
}

/// Whether lost packets are repaired, as the report says it.
public enum RepairUse: String, Codable, Sendable {
    /// They are requested from the server.
    case requested
    /// The server does not send lost packets again, or only in a stream of their own (RFC 4588).
    case notOffered = "not offered"
    /// The user has switched it off.
    case off
    /// The transport has no requests: TCP repairs by itself, and a group is not asked for packets.
    case none
}

/// The progress of a measurement.
public struct MeasureProgress: Sendable {
    public var elapsedSeconds: Double
    /// The number of live frames.
    public var frames: Int
    public var lostPackets: UInt64
}

/// Why nothing could be measured, in one line for the user.
public enum MeasureFailure: Error, Sendable, CustomStringConvertible {
    /// The session failed, or ended before anything was measured.
    case ended(ClientSessionEnd)
    /// The session description has these encodings, but no video.
    case noVideo([String])
    /// Nothing arrived for `seconds`.
    case silence(seconds: Double, awaiting: String)
    /// The decoder failed.
    case decoder(String)

    public var description: String {
        switch self {
        case .ended(let end): end.description
        case .noVideo(let encodings): "the stream has no video, only \(encodings.joined(separator: ", "))"
        case .silence(let seconds, let awaiting):
            "\(awaiting) within \(ReportTable.number(seconds)) s; wait longer with --timeout"
        case .decoder(let reason): "the decoder failed: \(reason)"
        }
    }

    /// The description, with advice if the server refused `transport`.
    public func description(over transport: SessionTransport?) -> String {
        if case .ended(let end) = self { end.description(over: transport) } else { description }
    }
}
