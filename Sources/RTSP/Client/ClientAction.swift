import SDP

/// An action that a ``ClientConnection`` orders.
public enum ClientAction: Hashable, Sendable {
    /// Write these bytes to the connection.
    case send([UInt8])
    /// The description has arrived: answer with `setUp`, or with `tearDown` if only the description was wanted.
    case described(SessionDescription)
    /// The server accepted this transport for the track at `index` of those given to `setUp`.
    case setUp(index: Int, Transport)
    /// The server sends from now on. `starts` has one entry per track that was set up, or `nil` if RTP-Info names no start.
    case playing(starts: [RTPInfo.Entry?])
    /// An RTP or RTCP packet came on the connection. The bytes are shared with the input of the connection. Release them before the
    /// next `received`, which otherwise copies that input.
    case receivedInterleaved(channel: UInt8, ArraySlice<UInt8>)
    /// Close the connection; no action follows.
    case close(ClientCloseReason)
}

/// A track to set up: a medium of the description and its transport.
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
    /// The caller tore down the session.
    case finished
    /// `retrySeconds` is the server's `Retry-After`; `nil` without one.
    case refused(Method, StatusCode, reason: String, retrySeconds: Int? = nil)
    /// The server has the stream at another URL (30x), which is given without user and password.
    case moved(Method, to: RequestURL)
    /// The server requires a user and a password (401), and the client has none.
    case passwordRequired(Method)
    /// The server does not accept the user and the password (401).
    case wrongPassword(Method)
    /// The response lacks a field that the next step needs.
    case unusableAnswer(Method, String)
    /// SETUP was answered with another transport than the requested one.
    case otherTransport
    case noAnswer(Method)
    case badMessage(ParseError)
    case badDescription(SessionDescription.ParseError)
    /// The server ended the connection.
    case endedByServer

    public var description: String {
        switch self {
        case .finished: "torn down"
        case .refused(let method, let status, let reason, _):
            "the server refused \(method.rawValue): \(status.code) \(reason)"
        case .moved(let method, let url):
            "the stream has moved to \(url.text); use this URL (redirection of \(method.rawValue))"
        case .passwordRequired(let method):
            "the server requires a user and a password, as in rtsp://USER:PASSWORD@HOST/PATH (401 to \(method.rawValue))"
        case .wrongPassword(let method):
            "wrong user or password, or this user may not watch the path (401 to \(method.rawValue))"
        case .unusableAnswer(let method, let problem): "invalid response to \(method.rawValue): \(problem)"
        case .otherTransport: "invalid response to SETUP: not the requested transport"
        case .noAnswer(let method): "no response to \(method.rawValue)"
        case .badMessage(let error): "invalid RTSP from the server: \(error)"
        case .badDescription(let error): "invalid SDP from the server: \(error)"
        case .endedByServer: "the server closed the connection"
        }
    }
}
