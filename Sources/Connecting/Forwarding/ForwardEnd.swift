/// Why a session of a forward has ended.
public struct ForwardEnd: Sendable, CustomStringConvertible {
    public enum Cause: Sendable {
        case failed(SessionFailure)
        /// The forward was stopped.
        case stopped
        /// The server has taken nothing for too long.
        case stalled
        /// The tracks of the stream are others now, which must be announced again.
        case tracksChanged
        /// The source of the stream has published nothing for this many seconds.
        case silentSource(seconds: Int)
        /// The input of the stream has ended for good.
        case endedSource
    }

    public let cause: Cause

    public init(_ cause: Cause) {
        self.cause = cause
    }

    /// Whether the server has no part in it: there is nothing to publish now, or something else.
    public var isOfSource: Bool {
        switch cause {
        case .tracksChanged, .silentSource, .endedSource, .stopped: true
        case .failed, .stalled: false
        }
    }

    public var description: String {
        switch cause {
        case .failed(let failure):
            switch failure.kind {
            case .passwordRequired: "the server requires a user and a password"
            case .wrongPassword: "wrong user or password, or this user may not publish to the path"
            default: failure.reason
            }
        case .stopped: "stopped"
        case .stalled: "the server did not take the media"
        case .tracksChanged: "the stream's tracks have changed"
        case .silentSource(let seconds): "the source has published nothing for \(seconds) seconds"
        case .endedSource: "the input has ended"
        }
    }
}
