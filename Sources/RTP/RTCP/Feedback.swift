import Wire

/// Immediate requests of a receiver to a sender (RFC 4585, section 6; RFC 5104, section 4.3.1).
public struct Feedback: Hashable, Sendable {
    /// The receiver that sends the feedback.
    public var sender: SSRC
    public var request: Request

    public enum Request: Hashable, Sendable {
        /// Generic NACK: packets of `media` are missing (RFC 4585, section 6.2.1).
        case genericNACK(media: SSRC, [LostPackets])
        /// PLI: the decoder of `media` has lost a picture (RFC 4585, section 6.3.1).
        case pictureLossIndication(media: SSRC)
        /// FIR: a keyframe of each of these sources is requested (RFC 5104, section 4.3.1).
        case fullIntraRequest([FullIntraEntry])
        /// When packets have arrived.
        case transportWide(media: SSRC, TransportFeedback)
        /// REMB: the rate that the path carries.
        case bitrateLimit(BitrateLimit)
    }

    /// A missing packet, and a mask of the 16 packets after it.
    public struct LostPackets: Hashable, Sendable {
        public var first: SequenceNumber
        /// Bit i stands for the packet i + 1 after the first.
        public var following: UInt16

        public init(first: SequenceNumber, following: UInt16 = 0) {
            self.first = first
            self.following = following
        }

        /// All missing sequence numbers, ascending: 1 to 17.
        public var sequenceNumbers: [SequenceNumber] {
            let offsets = (1...16).filter { following >> ($0 - 1) & 1 == 1 }
            return [first] + offsets.map { first.advanced(by: $0) }
        }
    }

    /// An FIR entry: the source, and a command number. A repeated number is a retransmission.
    public struct FullIntraEntry: Hashable, Sendable {
        public var ssrc: SSRC
        public var number: UInt8

        public init(ssrc: SSRC, number: UInt8) {
            self.ssrc = ssrc
            self.number = number
        }
    }

    public init(sender: SSRC, request: Request) {
        self.sender = sender
        self.request = request
    }

    /// Packet type and format in the header (RFC 4585, section 6.1).
    enum Kind: Hashable {
        case genericNACK, pictureLossIndication, fullIntraRequest, transportWide, bitrateLimit

        /// `nil` for unsupported formats: TMMBR and others.
        init?(packetType: UInt8, format: UInt8) {
            switch (packetType, format) {
            case (205, 1): self = .genericNACK
            case (205, 15): self = .transportWide
            case (206, 1): self = .pictureLossIndication
            case (206, 4): self = .fullIntraRequest
            case (206, 15): self = .bitrateLimit
            default: return nil
            }
        }
    }

    init?(body: RawSpan, kind: Kind) {
        var reader = ByteReader(body)
        guard let sender = reader.uint32().map(SSRC.init), let media = reader.uint32().map(SSRC.init)
        else { return nil }
        switch kind {
        case .pictureLossIndication:
            self.init(sender: sender, request: .pictureLossIndication(media: media))
        case .genericNACK:
            var lost: [LostPackets] = []
            while let first = reader.uint16(), let following = reader.uint16() {
                lost.append(LostPackets(first: SequenceNumber(first), following: following))
            }
            guard !lost.isEmpty else { return nil }
            self.init(sender: sender, request: .genericNACK(media: media, lost))
        case .transportWide:
            guard let feedback = TransportFeedback(&reader) else { return nil }
            self.init(sender: sender, request: .transportWide(media: media, feedback))
        case .bitrateLimit:
            guard let limit = BitrateLimit(&reader) else { return nil }
            self.init(sender: sender, request: .bitrateLimit(limit))
        case .fullIntraRequest:
            var entries: [FullIntraEntry] = []
            while let ssrc = reader.uint32() {
                guard let number = reader.uint8(), reader.skip(3) else { return nil }
                entries.append(FullIntraEntry(ssrc: SSRC(ssrc), number: number))
            }
            guard !entries.isEmpty else { return nil }
            self.init(sender: sender, request: .fullIntraRequest(entries))
        }
    }

    var header: (packetType: UInt8, format: UInt8) {
        switch request {
        case .genericNACK: (205, 1)
        case .transportWide: (205, 15)
        case .pictureLossIndication: (206, 1)
        case .fullIntraRequest: (206, 4)
        case .bitrateLimit: (206, 15)
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.uint32(sender.rawValue)
        switch request {
        case .pictureLossIndication(let media):
            writer.uint32(media.rawValue)
        case .genericNACK(let media, let lost):
            writer.uint32(media.rawValue)
            for packets in lost {
                writer.uint16(packets.first.rawValue)
                writer.uint16(packets.following)
            }
        case .transportWide(let media, let feedback):
            writer.uint32(media.rawValue)
            feedback.write(to: &writer)
        case .bitrateLimit(let limit):
            // The media source field is not used; the sources follow (draft-alvestrand-rmcat-remb-03, section 2.2).
            writer.uint32(0)
            limit.write(to: &writer)
        case .fullIntraRequest(let entries):
            // The media source field is not used (RFC 5104, section 4.3.1.2).
            writer.uint32(0)
            for entry in entries {
                writer.uint32(entry.ssrc.rawValue)
                writer.uint32(UInt32(entry.number) << 24)
            }
        }
    }
}
