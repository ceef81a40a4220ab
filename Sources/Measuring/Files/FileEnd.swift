/// Why a viewer of a file ended.
enum FileEnd: Error, Hashable, CustomStringConvertible {
    /// The bench ended it.
    case finished
    /// The host's name has no address, or the connection failed, for this reason.
    case unreachable(String)
    /// The response has another status than 200.
    case refused(status: UInt, reason: String)
    /// The connection failed after the response had begun.
    case failed(String)
    /// The server ended the file or closed the connection.
    case endedByServer
    case invalid(MP4Failure)

    var description: String {
        switch self {
        case .finished: "left"
        case .unreachable(let reason): "no connection: \(reason)"
        case .refused(401, _): "wrong user or password"
        case .refused(let status, let reason): "\(status) \(reason)"
        case .failed(let reason): reason
        case .endedByServer: "the server ended the file"
        case .invalid(let failure): "invalid MP4: \(failure)"
        }
    }
}

/// What is wrong with a file (ISO/IEC 14496-12).
enum MP4Failure: Error, Hashable, CustomStringConvertible {
    /// A box is shorter than its fields, or too long to be kept.
    case box(String)
    /// A fragment came before its track was described.
    case unknownTrack(UInt32)

    var description: String {
        switch self {
        case .box(let type): "a box '\(type)' of an impossible length"
        case .unknownTrack(let number): "a fragment of track \(number), which is not described"
        }
    }
}
