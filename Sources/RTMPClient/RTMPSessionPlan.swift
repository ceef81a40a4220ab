import Connecting
import Media
import RTMP

/// A stream on an RTMP server, and how to get there.
public struct RTMPSessionPlan: Sendable {
    public let target: ClientTarget
    public let connection: ConnectionPlan
    /// The credentials for servers that ask for them; `nil` without a user.
    public let login: ClientLogin?

    public init(_ target: ClientTarget, _ connection: ConnectionPlan, login: ClientLogin?) {
        (self.target, self.connection, self.login) = (target, connection, login)
    }
}

/// A stream that is published to an RTMP server.
public struct RTMPForwardPlan: ForwardPlan {
    let session: RTMPSessionPlan

    public init(_ session: RTMPSessionPlan) {
        self.session = session
    }

    public func makeSession(
        of forward: Forward, _ tracks: [Track], version: UInt64, in surroundings: OutgoingSurroundings,
        at now: MonotonicTime
    ) -> any ForwardSession {
        RTMPForwardSession(by: session, of: forward, in: surroundings, at: now)
    }
}
