import Media
import Wire

/// The times of one client, which begin at 0 with its first fragment, and the numbers of its fragments, which begin at 1.
///
/// All clients share the bytes of a fragment. What differs per client stands in its boxes, of which each client gets a copy: about
/// 110 bytes before a payload that is not copied (`MP4Fragment.writeBoxes`).
public struct ClientTimeline: Sendable {
    /// The decode time that is the client's 0.
    private var origin: MediaTime?
    private var nextSequenceNumber: UInt32 = 1

    public init() {}

    /// What the client gets in place of the shared values.
    public struct Fields: Hashable, Sendable {
        public let sequenceNumber: UInt32
        /// Ticks of the track from the client's 0.
        public let decodeTime: UInt64
        /// Ticks by which the frame is shown later than in the stream. Audio is never moved.
        public let presentationShift: Int32

        public init(sequenceNumber: UInt32, decodeTime: UInt64, presentationShift: Int32 = 0) {
            self.sequenceNumber = sequenceNumber
            self.decodeTime = decodeTime
            self.presentationShift = presentationShift
        }
    }

    /// The fields for the client's next fragment; `nil` if it is decoded before the client's first one, and so is left out.
    ///
    /// - Parameter presentationTime: when the frame is shown, if not when the stream says. A late B-frame after a fast start would
    ///   otherwise be shown among frames whose times were compressed.
    public mutating func fields<Storage>(
        for fragment: MP4Fragment<Storage>, presentedAt presentationTime: MediaTime? = nil
    ) -> Fields? {
        let origin = origin ?? fragment.decodeTime
        let ticks = fragment.decodeTime.ticks &- origin.converted(to: fragment.decodeTime.rate).ticks
        guard let decodeTime = UInt64(exactly: ticks) else { return nil }
        self.origin = origin
        defer { nextSequenceNumber &+= 1 }
        let shift = (presentationTime ?? fragment.presentationTime).ticks &- fragment.presentationTime.ticks
        return Fields(
            sequenceNumber: nextSequenceNumber, decodeTime: decodeTime, presentationShift: Int32(clamping: shift))
    }
}
