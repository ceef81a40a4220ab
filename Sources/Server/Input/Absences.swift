import Capture
import Logging
import RTSPServer
import Streams

/// Makes what shows something while the source of a path is absent.
struct Absences: Sendable {
    let directory: PathDirectory
    let kept: KeptTracks

    /// `nil` if the path shows nothing then.
    func publisher(for stream: Streams.Stream, _ path: Configuration.Path, log: Logger) -> AbsencePublisher? {
        guard path.absent.show != .nothing || !path.fallback.isEmpty else { return nil }
        var plan = AbsencePlan()
        plan.display = path.absent.display
        plan.afterSeconds = path.absent.afterSeconds
        plan.tracks = path.absent.tracks
        let (kept, name) = (kept, String(stream.path.dropFirst()))
        plan.keptTracks = kept.tracks(of: name)
        plan.keep = { kept.keep($0, of: name) }
        if !path.fallback.isEmpty {
            let (directory, fallback) = (directory, "/\(path.fallback)")
            // Looked up each time, because that path may be replaced while the server runs.
            plan.fallback = { directory.stream(at: fallback) }
        }
        return AbsencePublisher(for: stream, plan, log: log)
    }
}
