/// The code of a status: what has happened to a connection or a stream (Adobe's RTMP specification, section 7.2, and the reference of
/// ActionScript, `NetStatusEvent`).
public struct StatusCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let connectSuccess = Self(rawValue: "NetConnection.Connect.Success")
    public static let connectRejected = Self(rawValue: "NetConnection.Connect.Rejected")
    public static let publishStart = Self(rawValue: "NetStream.Publish.Start")
    /// Another publisher has the path, or no publisher may have it.
    public static let publishBadName = Self(rawValue: "NetStream.Publish.BadName")
    /// The client has not the right to publish. OBS then does not try again.
    public static let publishUnauthorized = Self(rawValue: "NetStream.Publish.Unauthorized")
    /// The server cannot receive what is published.
    public static let publishFailed = Self(rawValue: "NetStream.Publish.Failed")
    public static let playReset = Self(rawValue: "NetStream.Play.Reset")
    public static let playStart = Self(rawValue: "NetStream.Play.Start")
    public static let playStop = Self(rawValue: "NetStream.Play.Stop")
    public static let playStreamNotFound = Self(rawValue: "NetStream.Play.StreamNotFound")
    /// The client may not play, or the server cannot send.
    public static let playFailed = Self(rawValue: "NetStream.Play.Failed")
    /// The publisher of the stream has gone.
    public static let playUnpublished = Self(rawValue: "NetStream.Play.UnpublishNotify")
    public static let paused = Self(rawValue: "NetStream.Pause.Notify")
    public static let resumed = Self(rawValue: "NetStream.Unpause.Notify")
}

/// The information of `onStatus`, `_result` and `_error`.
public struct Status: Hashable, Sendable {
    public let level: Level
    public let code: StatusCode
    /// A sentence for the user of the peer.
    public let description: String

    public enum Level: String, Hashable, Sendable {
        case status
        case warning
        case error
    }

    public init(_ level: Level, _ code: StatusCode, _ description: String) {
        self.level = level
        self.code = code
        self.description = description
    }

    /// `nil` if the value has no code.
    public init?(_ value: AMF0.Value?) {
        guard let object = value?.object, let code = object["code"]?.string else { return nil }
        self.code = StatusCode(rawValue: code)
        level = object["level"]?.string.flatMap(Level.init(rawValue:)) ?? .status
        description = object["description"]?.string ?? ""
    }

    var object: AMF0.Object {
        [
            "level": .string(level.rawValue), "code": .string(code.rawValue), "description": .string(description),
        ]
    }

    /// `onStatus`, which a stream sends by itself, without a transaction.
    var command: CommandMessage { CommandMessage("onStatus", transaction: 0, .object(object)) }
}
