import Delivery
import Media
import RTSP
import SDP
import Streams

/// What a SETUP names: stream, track and session.
struct SetUpTarget {
    let entry: PathDirectory.Entry
    /// All tracks of the stream.
    let tracks: [Track]
    /// The track; `nil` if all tracks are sent as one.
    let track: Track?
    /// The session to which the track is added; `nil` for a new one.
    let session: ViewerSession?

    /// - Parameter mustAnswer: whether the answer must not wait any longer for the stream's input.
    /// - Returns: `nil` if the stream has no input yet.
    static func find(
        by request: SetUpRequest, on connection: Connection, in directory: PathDirectory, mustAnswer: Bool
    ) throws(Refusal) -> SetUpTarget? {
        let entry = try existingEntry(of: request, in: directory)
        guard let tracks = entry.stream.announcement?.tracks else {
            if let refusal = Refusal.noInput(entry.stream, mustAnswer: mustAnswer) { throw refusal }
            return nil
        }
        // What encodes tracks for these viewers may have to start.
        let source = DeliveryLoop.source(of: entry.stream, for: request.encapsulation)
        guard source.announcement != nil else {
            if let refusal = Refusal.noInput(entry.stream, mustAnswer: mustAnswer) { throw refusal }
            return nil
        }
        return SetUpTarget(
            entry: entry, tracks: tracks, track: try track(of: request, among: tracks),
            session: try existingSession(of: request, for: entry, tracks, on: connection))
    }

    /// The path that a SETUP names; `nil` if there is none.
    static func entry(of request: SetUpRequest, in directory: PathDirectory) -> PathDirectory.Entry? {
        request.encapsulation == .transportStream
            ? directory.entry(atAnyCaseOf: request.path, for: request.grant) : directory.entry(at: request.path)
    }

    private static func existingEntry(
        of request: SetUpRequest, in directory: PathDirectory
    ) throws(Refusal) -> PathDirectory.Entry {
        guard let entry = entry(of: request, in: directory) else {
            throw .unknownPath(request.path, among: directory, for: request.grant)
        }
        if entry.stream.hasEnded { throw .hasEnded(entry.stream) }
        return entry
    }

    private static func track(of request: SetUpRequest, among tracks: [Track]) throws(Refusal) -> Track? {
        if request.encapsulation == .transportStream { return nil }
        guard let name = request.track else {
            guard tracks.count == 1, let only = tracks.first else { throw Refusal(.aggregateOperationNotAllowed) }
            return only
        }
        guard let track = tracks.first(where: { $0.id.controlName == name }) else {
            throw Refusal(.notFound, reason: "Not Found: no such track")
        }
        return track
    }

    private static func existingSession(
        of request: SetUpRequest, for entry: PathDirectory.Entry, _ tracks: [Track], on connection: Connection
    ) throws(Refusal) -> ViewerSession? {
        guard let id = request.session else { return nil }
        guard let session = connection.sessions[id] else { throw Refusal(.sessionNotFound) }
        guard session.entry.stream === entry.stream else { throw Refusal(.aggregateOperationNotAllowed) }
        guard session.isCompatible(with: tracks) else { throw .tracksHaveChanged }
        return session
    }
}
