import SRT
import Streams

/// The configuration of the SRT server. Every value has the documented default.
public struct ServerOptions: Sendable {
    /// The UDP port: that of MediaMTX, because SRT has none of its own.
    public var port: UInt16 = 8890
    /// The numeric address to listen at; `nil` for all addresses.
    public var address: String?
    /// Milliseconds within which lost packets can be sent again: three times the round trip of a path within a country. Both ends use
    /// the larger of their latencies; ffmpeg, VLC and libsrt have the same default.
    public var latencyMilliseconds = 120
    /// Milliseconds without any packet after which a connection is broken: libsrt's default. A keepalive comes every second.
    public var peerIdleMilliseconds = 5_000
    /// Viewers at a time. Each costs 0.9 MB, and sending to it twenty times as much processor time as over RTP: 64 viewers of 2 Mbit/s
    /// take a quarter of a core (docs/srt.md).
    public var maximumViewers = 64
    /// Handshakes of one address that have been accepted and are not finished. Several callers behind one router are usual; each takes
    /// a round trip.
    public var handshakesPerAddress = 8
    /// The option because of which paths without a passphrase are refused; `nil` if they are served.
    public var passphraseDemand: PassphraseDemand?
    /// What happens to viewers that do not keep up.
    public var policy = SlowViewerPolicy()
    /// The maximum memory of all fast starts that viewers hold, in bytes.
    public var maximumFastStartByteCount = 64_000_000
    /// Seconds without media after which a publisher is disconnected.
    public var silenceSeconds = 10
    /// Milliseconds that a viewer waits for a source that has just started.
    public var sourceMilliseconds: Int64 = 3_000

    /// The option that demands a passphrase of every path, as the log names it.
    public enum PassphraseDemand: String, Sendable {
        /// All media is encrypted, whatever its protocol.
        case strictEncryption = "tls.encryption is strict"
        case requirePassphrase = "srt.requirePassphrase is true"
    }

    public init() {}
}

/// Why the server cannot have its port.
public enum PortFailure: Error, Sendable, CustomStringConvertible {
    /// The address is not numeric.
    case address(String)
    case library(SRTFailure)

    public var description: String {
        switch self {
        case .address(let text): "\(text) is not a numeric address"
        case .library(let failure): failure.description
        }
    }
}
