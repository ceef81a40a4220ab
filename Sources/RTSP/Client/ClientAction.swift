import SDP

/// What a client's connection wants done, in this order.
public enum ClientAction: Hashable, Sendable {
    /// Write these bytes to the connection.
    case send([UInt8])
    /// The stream is described: answer with `setUp`, or with `tearDown` where the description was all.
    case described(SessionDescription)
    /// The server will send the track at `index` of those given to `setUp` in this way.
    case setUp(index: Int, Transport)
    /// The server sends from now on. `starts` has one entry per track that was set up, `nil` where RTP-Info names none.
    case playing(starts: [RTPInfo.Entry?])
    /// An RTP or RTCP packet came on the connection.
    case receivedInterleaved(channel: UInt8, [UInt8])
    /// Close the connection; nothing follows.
    case close(ClientCloseReason)
}

/// A track to be set up: which medium of the description, and how its packets shall come.
public struct TrackSetUp: Hashable, Sendable {
    /// The medium's index in the description.
    public var mediaIndex: Int
    public var transport: Transport

    public init(mediaIndex: Int, transport: Transport) {
        self.mediaIndex = mediaIndex
        self.transport = transport
    }
}

/// Why a client's connection ended.
public enum ClientCloseReason: Error, Hashable, Sendable, CustomStringConvertible {
    /// Torn down, as the caller asked.
    case finished
    case refused(Method, StatusCode, reason: String)
    /// The server asks for a user and a password (401), and there are none.
    case passwordRequired(Method)
    /// The server does not accept the user and the password (401).
    case wrongPassword(Method)
    /// The answer lacks what the next step needs.
    case unusableAnswer(Method, String)
    case noAnswer(Method)
    case badMessage(ParseError)
    case badDescription(SessionDescription.ParseError)
    /// The server ended the connection.
    case endedByServer

    public var description: String {
        switch self {
        case .finished: "torn down"
        case .refused(let method, let status, let reason):
            "the server refused \(method.rawValue): \(status.code) \(reason)"
        case .passwordRequired(let method):
            "the server requires a user and a password, as in rtsp://USER:PASSWORD@HOST/PATH (401 to \(method.rawValue))"
        case .wrongPassword(let method):
            "wrong user or password, or this user may not watch the path (401 to \(method.rawValue))"
        case .unusableAnswer(let method, let what): "the answer to \(method.rawValue) has \(what)"
        case .noAnswer(let method): "no answer to \(method.rawValue)"
        case .badMessage(let error): "the server sent no RTSP: \(error)"
        case .badDescription(let error): "the description is no SDP: \(error)"
        case .endedByServer: "the server ended the connection"
        }
    }
}
