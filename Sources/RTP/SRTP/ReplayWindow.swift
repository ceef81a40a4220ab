/// The replay list of one source (RFC 3711, section 3.3.2): the newest packet, and which of the 63 before it have been received.
///
/// Check a packet before it is authenticated and record it afterwards; otherwise forged packets could move the window.
public struct ReplayWindow: Hashable, Sendable, BitwiseCopyable {
    /// The highest index that was received; `nil` before the first packet.
    public private(set) var newest: UInt64?
    /// Bit n stands for the packet n before the newest.
    private var seen: UInt64 = 0

    public init() {}

    /// Whether a packet with this index may be new. Packets older than the window are rejected.
    public func accepts(_ index: UInt64) -> Bool {
        guard let newest, index <= newest else { return true }
        let age = newest - index
        return age < 64 && seen >> age & 1 == 0
    }

    /// Whether a packet with this index was received. Packets older than the window are forgotten.
    public func contains(_ index: UInt64) -> Bool {
        guard let newest, index <= newest, newest - index < 64 else { return false }
        return seen >> (newest - index) & 1 == 1
    }

    /// Records that an authenticated packet with this index was received.
    public mutating func markReceived(_ index: UInt64) {
        guard let newest else {
            (self.newest, seen) = (index, 1)
            return
        }
        guard index > newest else {
            // An index older than the window is shifted out.
            seen |= 1 << (newest - index)
            return
        }
        // A shift by 64 or more leaves nothing.
        seen = seen << (index - newest) | 1
        self.newest = index
    }
}
