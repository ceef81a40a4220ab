/// Where each track's packets begin after a PLAY (RFC 2326, section 12.33).
public struct RTPInfo: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// The track's URL, as the client wrote it in SETUP: ffmpeg compares the texts.
        public var url: String
        /// The sequence number of the first packet.
        public var sequenceNumber: UInt16?
        /// The RTP timestamp of the first packet; `nil` while no packet exists. ffmpeg ignores 0.
        public var timestamp: UInt32?

        public init(url: String, sequenceNumber: UInt16?, timestamp: UInt32?) {
            self.url = url
            self.sequenceNumber = sequenceNumber
            self.timestamp = timestamp
        }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry]) {
        self.entries = entries
    }
}
