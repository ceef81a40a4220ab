import Media

/// One track as an elementary stream of the program: its PID and the framing of its access units.
struct ElementaryStream: Sendable {
    let track: TrackID
    let pid: PacketIdentifier
    /// stream_id of its PES packets (table 2-22).
    let streamID: UInt8
    let codec: Codec
    /// stream_type.
    let type: UInt8
    let framing: any Framing
    var counter = ContinuityCounter()

    /// Further tracks are left out: there are 16 stream ids for video.
    private static let maximumCount = 16
    /// The entries of this many bytes fit one packet with the rest of the program map: 16 without descriptors.
    private static let mapByteCount = 80

    /// The streams of the tracks that can be carried, the leading stream first.
    static func streams(of tracks: [Track]) -> [ElementaryStream] {
        let carried = tracks.compactMap { track -> (track: Track, type: UInt8, framing: any Framing)? in
            guard let type = track.codec.facts.streamType, let framing = framing(of: track) else { return nil }
            return (track, type, framing)
        }
        let leadingTrack = carried.map(\.track).leading
        let leading = carried.firstIndex { $0.track == leadingTrack } ?? 0
        let ordered = carried[leading...].prefix(1) + carried[..<leading] + carried[leading...].dropFirst()
        var mapBytes = 0
        let fitting = ordered.prefix(maximumCount).prefix { pair in
            mapBytes += 5 + pair.framing.descriptors.count
            return mapBytes <= mapByteCount
        }
        return fitting.enumerated().map { number, pair in
            ElementaryStream(
                track: pair.track.id,
                pid: PacketIdentifier(lowBitsOf: PacketIdentifier.firstStream.rawValue + UInt16(number)),
                streamID: streamID(of: pair.track, number: UInt8(number)), codec: pair.track.codec,
                type: pair.type, framing: pair.framing)
        }
    }

    private static func streamID(of track: Track, number: UInt8) -> UInt8 {
        // private_stream_1, as for all private data that a descriptor registers.
        if track.codec == .opus { return 0xBD }
        return (track.kind == .video ? 0xE0 : 0xC0) + number
    }

    /// `nil` for a format that a transport stream cannot carry.
    private static func framing(of track: Track) -> (any Framing)? {
        switch track.format {
        case .h264(let sets): AnnexBFraming(sets)
        case .h265(let sets): AnnexBFraming(sets)
        case .aac(let configuration): ADTSFraming(configuration)
        case .opus(let channelCount): OpusFraming(channelCount: channelCount)
        case .g711: nil
        }
    }
}

extension PESWriter {
    /// - Parameter byteCount: the number of bytes that will be appended.
    init(of byteCount: Int, on stream: ElementaryStream, times: PESHeader.Times?, adaptation: AdaptationField) {
        self.init(
            of: byteCount, on: stream.pid, after: stream.counter,
            header: PESHeader(streamID: stream.streamID, times: times), adaptation: adaptation)
    }
}
