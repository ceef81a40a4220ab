/// What a server's session asks for.
public enum ServerOrder: Hashable, Sendable {
    /// Send these bytes.
    case send([UInt8])
    /// The client has connected. Answer by `acceptConnection` or `rejectConnection`; until then, the session reads no more messages.
    case connect(ConnectRequest)
    /// The client wants to publish. Answer by `acceptPublishing` or `reject`.
    case publish(StreamAddress)
    /// The client wants to play. Answer by `acceptPlaying` or `reject`.
    case play(StreamAddress)
    /// Audio, video or data of the publisher.
    case media(Message)
    /// The player pauses: it gets no media until it resumes, and then what is new.
    case pause(Command.Pause)
    /// The publisher or the player has ended its stream. It may begin another on the same connection.
    case stopped
    /// Send what was ordered, and close the connection.
    case close(CloseReason)

    /// Why a session ends, for the log.
    public enum CloseReason: Hashable, Sendable, CustomStringConvertible {
        /// The client sent something that is not RTMP.
        case protocolError(RTMPError)
        /// The client was refused, for this reason.
        case refused(String)
        /// The client sends faster than its commands are decided.
        case tooManyWaitingBytes(limit: Int)

        public var description: String {
            switch self {
            case .protocolError(let error): "invalid RTMP from the client: \(error)"
            case .refused(let reason): reason
            case .tooManyWaitingBytes(let limit):
                "the client sent more than \(limit) bytes before its command was answered"
            }
        }
    }
}

/// A client that has connected.
public struct ConnectRequest: Hashable, Sendable {
    public let parameters: ConnectParameters
    /// The path of the application and its query. The name of a stream comes with its command.
    public let address: StreamAddress
    /// Credentials for the challenge of Adobe; `nil` if the client has sent none.
    public let credentials: AdobeAuthentication.Credentials?

    init(_ parameters: ConnectParameters) {
        self.parameters = parameters
        address = StreamAddress(parameters, streamName: "")
        credentials = AdobeAuthentication.Credentials(query: StreamAddress.divided(parameters.app).query)
    }
}

/// Why a connection is rejected.
public enum ConnectRejection: Hashable, Sendable {
    /// The client must authenticate: FFmpeg, OBS and librtmp then connect again with a user, if they have one.
    case needsCredentials
    /// The challenge for a user. Both texts must be of letters, digits and the characters of base64url.
    case challenge(user: String, salt: String, challenge: String)
    /// The response to the challenge was wrong.
    case wrongCredentials
    /// Another reason.
    case other(String)

    var description: String {
        switch self {
        case .needsCredentials: AdobeAuthentication.needsCredentials
        case .challenge(let user, let salt, let challenge):
            AdobeAuthentication.challenge(user: user, salt: salt, challenge: challenge)
        case .wrongCredentials: AdobeAuthentication.failed
        case .other(let reason): reason
        }
    }

    /// The reason for the log.
    var reason: String {
        switch self {
        case .needsCredentials: "the client must authenticate"
        case .challenge: "the client was sent a challenge"
        case .wrongCredentials: "wrong user or password"
        case .other(let reason): reason
        }
    }
}
