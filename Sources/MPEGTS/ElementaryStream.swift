import Media

/// One track as an elementary stream of the program: its PID and the framing of its access units.
struct ElementaryStream: Sendable {
    let track: TrackID
    let pid: PacketIdentifier
    /// stream_id of its PES packets (table 2-22).
    let streamID: UInt8
    let codec: Codec
    let framing: any Framing
    var counter = ContinuityCounter()

    /// Further tracks are left out: the entries of 16 streams fit one packet, and there are 16 stream ids for video.
    private static let maximumCount = 16

    /// The streams of the tracks that can be carried, the leading stream first.
    static func streams(of tracks: [Track]) -> [ElementaryStream] {
        let carried = tracks.compactMap { track in framing(of: track).map { (track: track, framing: $0) } }
        let leadingTrack = carried.map(\.track).leading
        let leading = carried.firstIndex { $0.track == leadingTrack } ?? 0
        let ordered = carried[leading...].prefix(1) + carried[..<leading] + carried[leading...].dropFirst()
        return ordered.prefix(maximumCount).enumerated().map { number, pair in
            ElementaryStream(
                track: pair.track.id,
                pid: PacketIdentifier(lowBitsOf: PacketIdentifier.firstStream.rawValue + UInt16(number)),
                streamID: (pair.track.kind == .video ? 0xE0 : 0xC0) + UInt8(number), codec: pair.track.codec,
                framing: pair.framing)
        }
    }

    /// `nil` for a format that a transport stream cannot carry.
    private static func framing(of track: Track) -> (any Framing)? {
        switch track.format {
        case .h264(let sets): AnnexBFraming(sets)
        case .h265(let sets): AnnexBFraming(sets)
        case .aac(let configuration): ADTSFraming(configuration)
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
