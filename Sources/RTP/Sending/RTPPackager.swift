import Media

/// Packages a stream's access units as RTP payloads, with one packetizer per track.
public struct RTPPackager: Packager {
    public typealias Output = PacketRun

    public struct Options: Hashable, Sendable {
        /// The maximum UDP payload, including the 12-byte RTP header.
        public let maximumPacketBytes: Int

        /// - Parameter maximumPacketBytes: clamped to 64…9 000: less has no room for headers, and no link has more. 1 400 leaves
        ///   room for header extensions and an SRTP tag on a link with an MTU of 1 500.
        public init(maximumPacketBytes: Int = 1400) {
            self.maximumPacketBytes = min(max(maximumPacketBytes, 64), 9000)
        }

        /// The maximum payload of a packet behind its RTP header.
        var maximumPayloadBytes: Int { maximumPacketBytes - Header.fixedByteCount }
    }

    private let packetizers: [TrackID: Packetizer]

    public init(tracks: [Track], options: Options) {
        let pairs = tracks.map {
            ($0.id, Packetizer(of: $0.codec, maximumPayloadBytes: options.maximumPayloadBytes))
        }
        packetizers = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The packets for `unit`; `nil` if its track is unknown or nothing of it can be carried.
    public func package(_ unit: AccessUnit) -> PacketRun? {
        packetizers[unit.track]?.packetize(unit)
    }
}
