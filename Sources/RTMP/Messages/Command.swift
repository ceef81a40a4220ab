/// A command of a client (Adobe's RTMP specification, section 7.2, and what Flash Media Server added).
public enum Command: Hashable, Sendable {
    case connect(ConnectParameters)
    /// Asks for the number of a message stream.
    case createStream
    /// Announces that a stream will be published again.
    case releaseStream(name: String)
    /// Announces a publisher.
    case fcPublish(name: String)
    case fcUnpublish(name: String)
    /// Announces a player.
    case fcSubscribe(name: String)
    case publish(name: String)
    case play(name: String)
    /// Asks how long a recording is.
    case streamLength(name: String)
    case pause(Pause)
    case deleteStream
    case closeStream
    /// `_checkbw` and `onBWDone`, by which clients of Flash Media Server measure the connection.
    case checkBandwidth
    case other(name: String)

    public enum Pause: Hashable, Sendable {
        case pause
        case resume
    }

    /// - Throws: `.malformedCommand` if a needed argument is missing.
    public init(_ message: CommandMessage) throws(RTMPError) {
        switch message.name {
        case "connect":
            guard let object = message.object.object else { throw .malformedCommand("connect") }
            self = .connect(ConnectParameters(object))
        case "createStream": self = .createStream
        case "releaseStream": self = .releaseStream(name: message.streamName)
        case "FCPublish": self = .fcPublish(name: message.streamName)
        case "FCUnpublish": self = .fcUnpublish(name: message.streamName)
        case "FCSubscribe": self = .fcSubscribe(name: message.streamName)
        case "publish": self = .publish(name: message.streamName)
        case "play": self = .play(name: message.streamName)
        case "getStreamLength": self = .streamLength(name: message.streamName)
        case "pause", "pauseRaw":
            guard let isPaused = message.arguments.first?.boolean else { throw .malformedCommand("pause") }
            self = .pause(isPaused ? .pause : .resume)
        // GStreamer sends the name of the stream instead of its number. A connection has one stream, so neither matters.
        case "deleteStream": self = .deleteStream
        case "closeStream": self = .closeStream
        case "_checkbw", "onBWDone": self = .checkBandwidth
        default: self = .other(name: message.name)
        }
    }
}

extension CommandMessage {
    /// The first argument. It is empty if the URL has only one element, or `.null`.
    fileprivate var streamName: String { arguments.first?.string ?? "" }
}
