/// A command to a running server: one line of JSON, at most 64 kB, through the control socket.
///
/// A new command needs a case here and an answer in `Assembly+Control.swift`.
public enum ControlRequest: Hashable, Sendable, Codable {
    /// Change options of a path: `{"set":{"path":"cam","assignments":["video.width=640"]}}`.
    case set(path: String, assignments: [String])
    /// List, print or drop the settings that were changed over HTTP: `{"settings":{"_0":{"list":{}}}}`.
    case settings(SettingsRequest)
    /// Return the status of the server: `{"status":{"hasPictureTimes":false}}`.
    case status(hasPictureTimes: Bool)
}

/// What to do with the settings that were changed over HTTP.
public enum SettingsRequest: Hashable, Sendable, Codable {
    case list
    /// Return them as lines for the configuration file.
    case merge
    /// Give them the values of the configuration again: all settings, those of a path, or some of its settings.
    case drop(path: String?, keys: [String])
}

/// The server's answer: one line of JSON.
public struct ControlResponse: Hashable, Sendable, Codable {
    /// Whether the command was executed; otherwise nothing has changed.
    public let isDone: Bool
    /// The effects, or the reasons of the failure: one sentence each, without a full stop.
    public let lines: [String]
    /// The answer to `ControlRequest.status`.
    public let status: ServerStatus?

    init(isDone: Bool, lines: [String], status: ServerStatus? = nil) {
        (self.isDone, self.lines, self.status) = (isDone, lines, status)
    }

    static func done(_ lines: [String]) -> Self { Self(isDone: true, lines: lines) }
    static func refused(_ lines: [String]) -> Self { Self(isDone: false, lines: lines) }
}
