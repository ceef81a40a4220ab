/// The received SRTP packets of one source: finds the index of a packet, and rejects replays (RFC 3711, sections 3.3.1 and 3.3.2).
///
/// The index is the sequence number, preceded by the rollover counter, which packets do not contain. It is guessed from the
/// newest packet, and the guess is proved by the authentication.
public struct PacketWindow: Hashable, Sendable, BitwiseCopyable {
    private let rolloverCounter: UInt32
    private var received = ReplayWindow()

    /// - Parameter rolloverCounter: that of the first packet, as the sender has announced it.
    public init(rolloverCounter: UInt32) {
        self.rolloverCounter = rolloverCounter
    }

    /// The indices that a new packet may have.
    public struct Candidates: Hashable, Sendable {
        /// The index that is nearest to that of the newest packet; `nil` if such a packet is too old.
        public let probable: UInt64?
        /// The index after another rollover. Packets have it if the first ones were lost, or half of all sequence numbers in a row;
        /// `nil` if there can be none, because the key must be changed before.
        public let later: UInt64?
    }

    /// The indices that a packet with this sequence number may have; `nil` if the packet has been received.
    public func candidates(for number: SequenceNumber) -> Candidates? {
        guard let newest = received.newest else {
            let index = UInt64(rolloverCounter) << 16 | UInt64(number.rawValue)
            return Candidates(probable: index, later: Self.later(index))
        }
        let distance = Int64(number.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: newest))))
        // At most 48 bits, so that the sum does not overflow.
        let index = Int64(newest) + distance
        let later = Self.later(UInt64(bitPattern: index))
        guard index >= 0, index <= Self.lastIndex else { return Candidates(probable: nil, later: later) }
        if received.accepts(UInt64(index)) { return Candidates(probable: UInt64(index), later: later) }
        return received.contains(UInt64(index)) ? nil : Candidates(probable: nil, later: later)
    }

    /// Records an authentic packet.
    public mutating func markReceived(_ index: UInt64) { received.markReceived(index) }

    /// An index has 48 bits.
    private static let lastIndex = Int64(0xFFFF_FFFF_FFFF)

    /// The index one rollover later. Also that of a guess below zero, which has wrapped.
    private static func later(_ index: UInt64) -> UInt64? {
        let later = index &+ 0x1_0000
        return later <= UInt64(lastIndex) ? later : nil
    }
}
