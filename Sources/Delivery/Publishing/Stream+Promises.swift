import Media
import Streams

extension Streams.Stream {
    /// Why viewers cannot receive these tracks in place of those that were promised; `nil` if they can. Audio may be missing, because
    /// silence takes its place.
    public func mismatch(of tracks: [Track]) -> String? {
        for promised in promisedTracks ?? [] {
            guard let track = tracks.first(where: { $0.kind == promised.kind }) else {
                if promised.kind == .audio { continue }
                return "Viewers were promised \(promised.format.summary), and there is no video"
            }
            let moved = Track(id: promised.id, clockRate: track.clockRate, format: track.format)
            guard promised.isCompatible(with: moved) else {
                return "Viewers were promised \(promised.format.summary), not \(track.format.summary)"
            }
        }
        return nil
    }
}
