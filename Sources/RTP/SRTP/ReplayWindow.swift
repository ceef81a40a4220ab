/// Which packets of one source have come already (RFC 3711, section 3.3.2): the newest, and those of the 63 before it.
///
/// Ask before a packet is authenticated, tell once it has been: else anybody could move the window.
public struct ReplayWindow: Hashable, Sendable, BitwiseCopyable {
    private var newest: UInt64?
    /// Bit n stands for the packet n before the newest.
    private var seen: UInt64 = 0

    public init() {}

    /// Whether a packet of this index may be new. What is older than the window is not.
    public func accepts(_ index: UInt64) -> Bool {
        guard let newest, index <= newest else { return true }
        let age = newest - index
        return age < 64 && seen >> age & 1 == 0
    }

    /// A packet of this index has come, and is what it seems to be.
    public mutating func markReceived(_ index: UInt64) {
        guard let newest else {
            (self.newest, seen) = (index, 1)
            return
        }
        guard index > newest else {
            // What is older is shifted out.
            seen |= 1 << (newest - index)
            return
        }
        // A shift by 64 or more leaves nothing.
        seen = seen << (index - newest) | 1
        self.newest = index
    }
}
