import HLS

/// Why a viewer over HTTP ended.
enum HTTPEnd: Error, Hashable, CustomStringConvertible {
    /// The bench ended it.
    case finished
    /// The host's name has no address, or the connection failed, for this reason.
    case unreachable(String)
    /// The response has another status than 200.
    case refused(status: UInt, reason: String)
    /// The connection failed after the response had begun.
    case failed(String)
    /// The server ended the stream or closed the connection.
    case endedByServer
    case invalid(MP4Failure)
    case invalidPlaylist(ReceivedPlaylist.Failure)
    /// A playlist names a resource of another server, or not by a URI.
    case otherServer(String)
    /// The playlist offers no blocking reload or no parts.
    case noLowLatency

    var description: String {
        switch self {
        case .finished: "left"
        case .unreachable(let reason): "no connection: \(reason)"
        case .refused(401, _): "wrong user or password"
        case .refused(let status, let reason): "\(status) \(reason)"
        case .failed(let reason): reason
        case .endedByServer: "the server ended the stream"
        case .invalid(let failure): "invalid MP4: \(failure)"
        case .invalidPlaylist(let failure): "\(failure)"
        case .otherServer(let uri): "the playlist leads to another server: \(uri)"
        case .noLowLatency: "the stream has no low latency; try --segments"
        }
    }
}
