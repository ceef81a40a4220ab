extension ServerConnection {
    /// The settings and limits of one connection.
    public struct Configuration: Hashable, Sendable {
        /// The value of `Server` in responses.
        public var serverName = "apus"
        /// The session timeout in SETUP's response. A session ends after 1.25 times this time without activity.
        public var sessionTimeoutSeconds = 60
        /// The limits on one message.
        public var messageLimits = Parser.Limits()
        /// The maximum time from a message's first byte to its last: 16 KB take far less on any line that carries video.
        public var messageSeconds = 10
        /// The time without a request after which a connection without a session is closed.
        public var idleSeconds = 60
        /// The maximum number of sessions of one connection. Clients use one, recorders one per stream of a device.
        public var maximumSessionCount = 8
        /// The time for which a request waits for an external authorisation.
        public var decisionSeconds = 15
        /// Whether media may be sent by SRTP to clients inside TLS, which carries the keys.
        public var servesSRTP = false
        /// The maximum number of bytes that wait behind a pending request. At half of it ``ServerConnection/wantsBytes`` turns
        /// false, so a caller that respects it never exceeds the limit. All waiting requests may be answered at once: 16 KB of
        /// the shortest requests make 100 KB of responses.
        public var maximumWaitingByteCount = 32 * 1024

        /// The number of messages that one input handles; the rest wait for ``ServerConnection/continueProcessing(at:)``. 16 requests take less
        /// than a millisecond, so the caller can serve other connections in between.
        public var messagesPerStep = 16
        /// The number of transports of one SETUP that are considered. Clients offer one to four.
        public var maximumOfferCount = 16

        public init() {}
    }
}
