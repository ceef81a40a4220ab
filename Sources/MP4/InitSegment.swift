import Media
import Wire

/// What a reader of fragments needs first: `ftyp` and `moov`, which describe the tracks (ISO/IEC 14496-12, 8.2; the CMAF header
/// of ISO/IEC 23000-19, 7.3.1). Immutable.
public final class InitSegment: PackagedHead {
    public let generation: Generation
    /// The tracks that it describes, in the order of their ids.
    public let tracks: [Track]
    public let bytes: [UInt8]
    let movieTracks: [MovieTrack]

    init(_ movieTracks: [MovieTrack], generation: Generation) {
        self.generation = generation
        self.movieTracks = movieTracks
        tracks = movieTracks.map(\.track)
        var writer = ByteWriter(capacity: 1_024)
        writer.fileType(isSingleTrack: movieTracks.count == 1)
        writer.movie(movieTracks)
        bytes = writer.bytes
    }

    /// The codecs of the tracks, such as `avc3.640028` and `mp4a.40.2` (RFC 6381).
    public var codecs: [String] { movieTracks.map(\.entry.codecString) }

    /// The MIME type with the codecs, as `MediaSource.isTypeSupported` takes it: `video/mp4; codecs="avc3.640028, mp4a.40.2"`.
    public var contentType: String {
        let kind = tracks.contains { $0.kind == .video } ? "video" : "audio"
        return "\(kind)/mp4; codecs=\"\(codecs.joined(separator: ", "))\""
    }

    /// The width and height of the video in pixels; `nil` without video, and if its parameter set cannot be read.
    public var frameSize: (width: Int, height: Int)? {
        guard let picture = movieTracks.lazy.compactMap(\.entry.picture).first, picture.width > 0 else { return nil }
        return (Int(picture.width), Int(picture.height))
    }

    /// The init segment of some of the tracks; `nil` if there is none of them. Fragments of the other tracks are left out.
    public func selecting(_ isSelected: (Track) -> Bool) -> InitSegment? {
        let selected = movieTracks.filter { isSelected($0.track) }
        if selected.count == movieTracks.count { return self }
        return selected.isEmpty ? nil : InitSegment(selected, generation: generation)
    }

    /// Whether a reader that got `former` can go on without this init segment, if it decodes parameter sets in band.
    ///
    /// This is for endless files, in which no second init segment is allowed. Frames may get another size.
    public func continues(_ former: InitSegment) -> Bool {
        tracks.isCompatible(with: former.tracks)
            && zip(movieTracks, former.movieTracks).allSatisfy {
                $0.entry.parameterSets == .inBand || $0.entry.isCovered(by: $1.entry)
            }
    }

    /// Whether the segment describes these tracks well enough.
    func covers(_ others: [MovieTrack]) -> Bool {
        movieTracks.count == others.count
            && zip(movieTracks, others).allSatisfy { own, other in
                own.id == other.id && own.clockRate == other.clockRate
                    && other.entry.isCovered(by: own.entry)
            }
    }
}
