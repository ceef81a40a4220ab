import Media

/// One track as an elementary stream of the program: its PID and the framing of its access units.
struct ElementaryStream: Sendable {
    /// The framing of access units, and its stream_type (ISO/IEC 13818-1, table 2-34).
    enum Framing: Sendable {
        case annexB(AnnexBFraming)
        case adts(ADTSFraming)

        var streamType: UInt8 {
            switch self {
            case .annexB: 0x1B
            case .adts: 0x0F
            }
        }

        /// `nil` for a format that a transport stream cannot carry.
        init?(_ format: Track.Format) {
            switch format {
            case .h264(let sets): self = .annexB(AnnexBFraming(sets))
            case .aac(let config):
                guard let framing = ADTSFraming(config) else { return nil }
                self = .adts(framing)
            }
        }

        /// Bytes of `unit` with its framing; `nil` if it cannot be carried.
        func byteCount(of unit: AccessUnit) -> Int? {
            switch self {
            case .annexB(let framing): framing.byteCount(of: unit)
            case .adts(let framing): framing.byteCount(of: unit)
            }
        }

        /// Writes `byteCount(of:)` bytes.
        @_lifetime(output: copy output)
        func write(_ unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan) {
            switch self {
            case .annexB(let framing): framing.write(unit, through: &writer, to: &output)
            case .adts(let framing): framing.write(unit, through: &writer, to: &output)
            }
        }
    }

    let track: TrackID
    let pid: PacketIdentifier
    /// stream_id of its PES packets (table 2-22).
    let streamID: UInt8
    let framing: Framing
    var counter = ContinuityCounter()

    /// Further tracks are left out: the entries of 16 streams fit one packet, and there are 16 stream ids for video.
    private static let maximumCount = 16

    /// The streams of the tracks that can be carried, the leading stream first.
    static func streams(of tracks: [Track]) -> [ElementaryStream] {
        let carried = tracks.compactMap { track in Framing(track.format).map { (track: track, framing: $0) } }
        let leadingTrack = carried.map(\.track).leading
        let leading = carried.firstIndex { $0.track == leadingTrack } ?? 0
        let ordered = carried[leading...].prefix(1) + carried[..<leading] + carried[leading...].dropFirst()
        return ordered.prefix(maximumCount).enumerated().map { number, pair in
            ElementaryStream(
                track: pair.track.id,
                pid: PacketIdentifier(lowBitsOf: PacketIdentifier.firstStream.rawValue + UInt16(number)),
                streamID: (pair.track.kind == .video ? 0xE0 : 0xC0) + UInt8(number), framing: pair.framing)
        }
    }
}
