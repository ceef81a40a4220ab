import RTSP
import Streams

extension Refusal {
    /// The input of the path has ended for good.
    static func hasEnded(_ stream: Streams.Stream) -> Refusal {
        Refusal(.notFound, reason: "Not Found: \(stream.path) has ended")
    }

    /// The path has no input, and the client has waited long enough, or the source that was started for it has failed.
    ///
    /// - Returns: `nil` if the client can wait longer.
    static func noInput(_ stream: Streams.Stream, mustAnswer: Bool) -> Refusal? {
        if stream.demand.startMilliseconds != nil, let failure = stream.demand.failure {
            // A reason phrase is one line of ASCII.
            let reason = String(
                failure.reason.unicodeScalars.prefix(200).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" }
            )
            return Refusal(
                .serviceUnavailable, reason: "Service Unavailable: \(reason)",
                headers: [.retryAfter: "\(failure.retrySeconds)"])
        }
        guard mustAnswer else { return nil }
        return Refusal(
            .serviceUnavailable, reason: "Service Unavailable: \(stream.path) has no input; see the server's log",
            headers: [.retryAfter: "2"])
    }

    /// The client must start again with DESCRIBE.
    static let tracksHaveChanged = Refusal(
        .sessionNotFound, reason: "Session Not Found: the stream's tracks have changed")

    /// The path is unknown. The reason phrase suggests a path that the client may read; the log names the nearest of all paths.
    static func unknownPath(_ path: String, among directory: PathDirectory, for grant: Grant) -> Refusal {
        let paths = directory.paths.filter { grant.admits(.read, $0) }
        if path == "/" {
            let list = paths.prefix(20).joined(separator: " ")
            return Refusal(
                .notFound, reason: list.isEmpty ? "Not Found: no stream yet" : "Not Found: available are \(list)")
        }
        guard let nearest = nearestName(to: path, among: paths) else { return Refusal(.notFound) }
        return Refusal(.notFound, reason: "Not Found: did you mean \(nearest)?")
    }
}
