import Codecs
import Media
import Muxing
import Streams

/// A file that is played, again and again, in the place of an absent source. Confined to one thread, except for `interruption`.
final class SubstituteFile {
    /// The announced tracks that the file cannot fill.
    let missing: [Track]
    private let demuxer: Demuxer
    private let fileTracks: [any FileTrack]
    /// The announced track of each of the file's tracks.
    private let places: [TrackID]

    /// Opens the file, and the decoders and encoders for the announced tracks.
    ///
    /// - Throws: if it cannot be read, or has no video for announced video.
    init(path: String, as announced: [Track], interruption: Interruption) throws(SourceFailure) {
        var demuxer = try Self.open(path, Set(announced.map(\.kind)), interruption)
        let audio = announced.first { $0.kind == .audio }
        if let audio, let source = demuxer.tracks.first(where: { !$0.isVideo }), !Self.canFill(audio, from: source) {
            demuxer = try Self.open(path, [.video], interruption)
        }
        var (fileTracks, places): ([any FileTrack], [TrackID]) = ([], [])
        for source in demuxer.tracks {
            guard let track = announced.first(where: { $0.kind == (source.isVideo ? .video : .audio) }) else {
                continue
            }
            fileTracks.append(try Self.track(source, as: track, id: TrackID(places.count)))
            places.append(track.id)
        }
        guard let leading = announced.leading, places.contains(leading.id) else {
            throw SourceFailure(
                reason:
                    "\(path) has no \(announced.leading?.kind == .video ? "video" : "audio of the announced format")",
                remedy: "name another file")
        }
        missing = announced.filter { !places.contains($0.id) }
        (self.demuxer, self.fileTracks, self.places) = (demuxer, fileTracks, places)
    }

    private static func open(
        _ path: String, _ kinds: Set<Codec.Kind>, _ interruption: Interruption
    ) throws(SourceFailure) -> Demuxer {
        do throws(DemuxFailure) {
            return try Demuxer(.file(path), playing: kinds, interruption: interruption)
        } catch {
            throw SourceFailure(error)
        }
    }

    /// Whether a file's audio can be sent in an announced track: encoded as AAC-LC, or as it is.
    private static func canFill(_ track: Track, from source: DemuxedTrack) -> Bool {
        switch (track.format, source.format) {
        case (.aac(let announced), _): announced.audioObjectType == 2 && (1...8).contains(announced.channelCount)
        case (.opus, .opus): true
        case (.g711(let announced), .g711(let format)): announced == format
        default: false
        }
    }

    private static func track(
        _ source: DemuxedTrack, as announced: Track, id: TrackID
    ) throws(SourceFailure) -> any FileTrack {
        switch (announced.format, source.format) {
        case (.h264, _), (.h265, _): return try SubstituteVideoTrack(source, as: announced, id: id)
        case (.aac(let wanted), .aac(let format, let isADTS)) where wanted.isEquivalent(to: format):
            return PassthroughAudioTrack(announced.format, isADTS: isADTS, id: id)
        case (.aac(let wanted), _):
            var settings = AudioEncoder.Settings()
            (settings.sampleRate, settings.channelCount) = (wanted.sampleRate, wanted.channelCount)
            return try TranscodedAudioTrack(source, settings, id: id)
        case (.opus, _), (.g711, _): return PassthroughAudioTrack(announced.format, id: id)
        }
    }

    /// Plays until the clock says that it is to stop.
    ///
    /// - Parameter publish: is given each unit at its time, in the announced tracks.
    func play(
        epoch: MonotonicTime, clock: PaceClock, stop: StopSignal, publish: @escaping (AccessUnit) -> Void
    ) throws(SourceFailure) {
        let places = places
        let output = SourceOutput(
            epoch: epoch, announce: { _ in }, publish: { publish($0.on(places[$0.track.index])) })
        try FilePlayback(demuxer, fileTracks, into: output, clock: clock, stop: stop).play(loops: true)
    }
}
