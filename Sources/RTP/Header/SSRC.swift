/// The synchronization source identifier of a sender, chosen at random (RFC 3550, section 3).
public struct SSRC: Hashable, Sendable, BitwiseCopyable {
    public let rawValue: UInt32

    @inlinable
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}
