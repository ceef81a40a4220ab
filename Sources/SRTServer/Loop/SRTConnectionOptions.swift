import SRT

/// What one connection is encrypted with and how long it may repair losses.
public struct SRTConnectionOptions: Hashable, Sendable {
    /// `nil` without encryption.
    public var passphrase: SRTPassphrase?
    /// The length of our key, for what we send; `nil` for that of the peer.
    public var keyLength: SRTKeyLength?
    /// Both ends use the larger of their latencies; `nil` for the default of the server or of libsrt, 120.
    public var latencyMilliseconds: Int?

    public init(passphrase: SRTPassphrase? = nil, keyLength: SRTKeyLength? = nil, latencyMilliseconds: Int? = nil) {
        (self.passphrase, self.keyLength, self.latencyMilliseconds) = (passphrase, keyLength, latencyMilliseconds)
    }
}
