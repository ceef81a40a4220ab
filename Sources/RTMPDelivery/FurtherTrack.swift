import Delivery
import Media
import Streams

/// The reception of a video track beside the main one, with the sender's audio: it goes to the path that has this track.
struct FurtherTrack {
    /// Where it goes.
    private enum Destination {
        /// No path has the track.
        case none
        case path(StreamInput)
        /// The viewers of the path were promised other tracks.
        case refused(StreamInput, reason: String)
    }

    let number: TrackNumber
    private var tracks: [Track] = []
    private var destination = Destination.none
    private var counts: [(codec: String, count: Int64)] = []
    /// Frames of video that went nowhere.
    private var droppedCount: Int64 = 0
    private var hasReported = false

    init(_ number: TrackNumber) {
        self.number = number
    }

    mutating func announced(_ tracks: [Track]) {
        self.tracks = tracks
        counts = tracks.map { track in
            let name = track.format.summary
            return (name, counts.first { $0.codec == name }?.count ?? 0)
        }
        switch destination {
        case .none: break
        case .path(let input), .refused(let input, _): announce(to: input)
        }
    }

    /// Looks for the path again, because the configuration may have changed.
    mutating func look(for input: StreamInput?) {
        switch (destination, input) {
        case (.path(let former), let input?) where former === input: break
        case (.refused(let former, _), let input?) where former === input: break
        case (_, let input?): announce(to: input)
        case (_, nil): destination = .none
        }
    }

    private mutating func announce(to input: StreamInput) {
        if let mismatch = input.stream.mismatch(of: tracks) {
            destination = .refused(input, reason: mismatch)
        } else {
            destination = .path(input)
            input.announce(tracks)
        }
    }

    mutating func received(_ unit: AccessUnit) {
        guard case .path(let input) = destination else {
            if tracks.indices.contains(unit.track.index), tracks[unit.track.index].kind == .video { droppedCount += 1 }
            return
        }
        if counts.indices.contains(unit.track.index) { counts[unit.track.index].count += 1 }
        input.publish(unit)
    }

    /// Notes for the status of its path what has come.
    func note(roundTrip: Int64?) {
        guard case .path(let input) = destination else { return }
        input.note(ReceptionStatus(units: counts, roundTrip: roundTrip))
    }

    /// What is to be logged: once that no viewer gets it, and why.
    mutating func takeRemark(on path: String) -> MessageReception.Remark? {
        guard !hasReported, let fault = fault(on: path) else { return nil }
        hasReported = true
        return .unpublishedTrack(fault)
    }

    /// For the status: that no viewer gets it, why, and how many frames were dropped; `nil` if its path gets it.
    func complaint(on path: String) -> String? {
        fault(on: path).map { "\($0) (\(droppedCount) frames dropped)" }
    }

    /// - Parameter path: of the main stream, `/yard`.
    private func fault(on path: String) -> String? {
        let name = "video track \(number), \(tracks.first?.format.summary ?? "unknown")"
        switch destination {
        case .path: return nil
        case .refused(let input, let reason): return "\(name), for \(input.stream.path): \(reason)"
        case .none:
            let parent = path.drop { $0 == "/" }
            return
                "\(name): no path has it; add this to paths: \(parent)/video\(number): { source: track:\(parent)/\(number) }"
        }
    }
}
