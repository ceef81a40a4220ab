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

    private enum Packetizer: Sendable {
        case h264(H264Packetizer)
        case aac(AACPacketizer)
    }

    private let packetizers: [TrackID: Packetizer]

    public init(tracks: [Track], options: Options) {
        let maximum = options.maximumPayloadBytes
        let pairs = tracks.map { track -> (TrackID, Packetizer) in
            switch track.format {
            case .h264: (track.id, .h264(H264Packetizer(maximumPayloadBytes: maximum)))
            case .aac: (track.id, .aac(AACPacketizer(maximumPayloadBytes: maximum)))
            }
        }
        packetizers = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The packets for `unit`; `nil` if its track is unknown or nothing of it can be carried.
    public func package(_ unit: AccessUnit) -> PacketRun? {
        switch packetizers[unit.track] {
        case .h264(let packetizer): packetizer.packetize(unit)
        case .aac(let packetizer): packetizer.packetize(unit)
        case nil: nil
        }
    }
}
