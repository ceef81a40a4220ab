import Reactor
import SRT

/// Where a call goes: the parts of an `srt://` URL, with the address to which its name was resolved.
public struct SRTCallTarget: Hashable, Sendable {
    public var address: SocketAddress
    /// The stream id as the server expects it, for example ``SRTStreamID/text``; at most 512 bytes.
    public var streamID: String
    public var connection: SRTConnectionOptions
    /// Milliseconds until the server must have answered: libsrt's default.
    public var connectMilliseconds = 3_000
    /// Milliseconds without any packet after which the connection is broken.
    public var peerIdleMilliseconds = 5_000

    public init(
        address: SocketAddress, streamID: String = "", connection: SRTConnectionOptions = SRTConnectionOptions()
    ) {
        (self.address, self.streamID, self.connection) = (address, streamID, connection)
    }

    /// - Parameter address: of the URL's host, with the URL's port.
    public init(_ url: SRTURL, at address: SocketAddress) {
        self.init(
            address: address, streamID: url.streamID,
            connection: SRTConnectionOptions(
                passphrase: url.passphrase, keyLength: url.keyLength, latencyMilliseconds: url.latencyMilliseconds))
    }
}
