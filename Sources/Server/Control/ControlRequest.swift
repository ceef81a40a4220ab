/// What a verb asks of a running server: one line of JSON, at most 64 kB, through the control socket.
///
/// A new verb is a new case here, and an answer to it in `Assembly+Control.swift`.
public enum ControlRequest: Hashable, Sendable, Codable {
    /// Change options of a path: `{"set":{"path":"cam","assignments":["video.width=640"]}}`.
    case set(path: String, assignments: [String])
    /// Tell what the server does now: `{"status":{"hasPictureTimes":false}}`.
    case status(hasPictureTimes: Bool)
}

/// What the server says to a request: one line of JSON, and the end.
public struct ControlResponse: Hashable, Sendable, Codable {
    /// Whether it is done; else nothing has changed.
    public let isDone: Bool
    /// What was done, or why nothing was: one sentence each, without a full stop.
    public let lines: [String]
    /// Where that was asked for.
    public let status: ServerStatus?

    init(isDone: Bool, lines: [String], status: ServerStatus? = nil) {
        (self.isDone, self.lines, self.status) = (isDone, lines, status)
    }

    static func done(_ lines: [String]) -> Self { Self(isDone: true, lines: lines) }
    static func refused(_ lines: [String]) -> Self { Self(isDone: false, lines: lines) }
}
