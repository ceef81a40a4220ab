import Dispatch
import FoundationEssentials
import Logging
import Media
import Synchronization

/// The tracks that each path's source had last, kept in the state folder for the time before the source is there again. Thread-safe.
///
/// Only paths that show something while their source is absent need them. The file is read when the first path asks, and written
/// by a queue, so that no source waits for the disk.
final class KeptTracks: Sendable {
    /// `nil` if nothing is kept.
    private let folder: StateFolder?
    private let log: Logger
    /// By path; `nil` before the file is read.
    private let entries = Mutex<[String: Entry]?>(nil)
    private let writing = DispatchQueue(label: "apus.kept-tracks")

    /// The number of paths in the file. If there are more, those that changed first are forgotten.
    static let maximumPathCount = 1000
    /// A thousand paths with some parameter sets each have less.
    private static let maximumByteCount = 2_000_000

    struct Entry: Codable {
        let tracks: [KeptTrack]
        /// Increases with each change of the file.
        let change: Int
    }

    init(in folder: StateFolder?, log: Logger) {
        (self.folder, self.log) = (folder, log)
    }

    private func file(in folder: StateFolder) -> String { "\(folder.path)/tracks.json" }

    /// The tracks that the source of a path had last; `nil` if they are not known.
    func tracks(of path: String) -> [Track]? {
        entries.withLock { entries in
            let known = entries ?? read()
            entries = known
            return known[path].flatMap { Self.tracks($0.tracks) }
        }
    }

    /// Keeps the tracks of a path. Returns at once.
    func keep(_ tracks: [Track], of path: String) {
        guard folder != nil else { return }
        entries.withLock { entries in
            var all = entries ?? read()
            all[path] = Entry(tracks: tracks.map(KeptTrack.init), change: (all.values.map(\.change).max() ?? 0) + 1)
            while all.count > Self.maximumPathCount, let oldest = all.min(by: { $0.value.change < $1.value.change }) {
                all[oldest.key] = nil
            }
            entries = all
        }
        writing.async { self.write() }
    }

    /// Waits until all that was kept is written.
    func flush() { writing.sync {} }

    /// The tracks of an entry; `nil` if one of them is damaged.
    private static func tracks(_ kept: [KeptTrack]) -> [Track]? {
        let tracks = kept.enumerated().compactMap { $1.track(TrackID($0)) }
        return tracks.count == kept.count && !tracks.isEmpty ? tracks : nil
    }

    private func read() -> [String: Entry] {
        guard let folder else { return [:] }
        let file = file(in: folder)
        do throws(StateFailure) {
            guard let bytes = try folder.contents(of: file, maximumByteCount: Self.maximumByteCount) else { return [:] }
            guard let entries = try? JSONDecoder().decode([String: Entry].self, from: Data(bytes)),
                entries.values.allSatisfy({ Self.tracks($0.tracks) != nil })
            else {
                log.warning(
                    "the tracks of earlier sources are forgotten, because \(file) is damaged; it will be replaced")
                return [:]
            }
            return entries
        } catch {
            log.warning("the tracks of earlier sources are not known: \(error)")
            return [:]
        }
    }

    private func write() {
        guard let folder, let entries = entries.withLock(\.self), let data = try? JSONEncoder().encode(entries) else {
            return
        }
        do throws(StateFailure) {
            try folder.replace(file(in: folder), by: Array(data))
        } catch {
            log.warning("the tracks of this source are forgotten at the next start: \(error)")
        }
    }
}

/// A track in the file.
struct KeptTrack: Codable {
    /// Its name in session descriptions.
    private let codec: String
    private let clockRate: Int32
    private let channels: Int?
    /// Video, sequence and picture parameter sets, or the configuration of AAC.
    private let parameters: [[Data]]

    init(_ track: Track) {
        codec = track.codec.facts.encodingName
        (clockRate, channels) = (track.clockRate.hertz, track.format.channelCount)
        let sets: [[[UInt8]]] =
            switch track.format {
            case .h264(let sets): [sets.sequence, sets.picture]
            case .h265(let sets): [sets.video, sets.sequence, sets.picture]
            case .aac(let configuration): [[configuration.bytes]]
            case .opus, .g711: []
            }
        parameters = sets.map { $0.map { Data($0) } }
    }

    /// The track; `nil` if it is damaged.
    func track(_ id: TrackID) -> Track? {
        guard let rate = ClockRate(hertz: clockRate), let format = format(rate) else { return nil }
        return Track(id: id, clockRate: rate, format: format)
    }

    private func format(_ rate: ClockRate) -> Track.Format? {
        let sets = parameters.map { $0.map { Array($0) } }
        guard let codec = Codec.allCases.first(where: { $0.facts.encodingName == codec }) else { return nil }
        switch codec {
        case .h264:
            guard sets.count == 2 else { return nil }
            return H264.ParameterSets(sequence: sets[0], picture: sets[1]).map { .h264($0) }
        case .h265:
            guard sets.count == 3 else { return nil }
            return H265.ParameterSets(video: sets[0], sequence: sets[1], picture: sets[2]).map { .h265($0) }
        case .aac:
            guard sets.count == 1, sets[0].count == 1 else { return nil }
            return AAC.AudioSpecificConfig(parsing: sets[0][0]).map { .aac($0) }
        case .opus:
            guard let channels, (1...2).contains(channels) else { return nil }
            return .opus(channelCount: channels)
        case .pcma, .pcmu:
            return channels.flatMap { G711(codec == .pcma ? .a : .mu, sampleRate: rate, channelCount: $0) }
                .map { .g711($0) }
        }
    }
}
