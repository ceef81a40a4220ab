extension ServerConnection {
    /// What one connection may do.
    public struct Configuration: Hashable, Sendable {
        /// The value of `Server` in responses.
        public var serverName = "apus"
        /// Seconds after which a client must have shown life; told in SETUP. Sessions end at 1.25 times that.
        public var sessionTimeoutSeconds = 60
        /// What one message may measure.
        public var messageLimits = Parser.Limits()
        /// Seconds from a message's first byte to its last: 16 KB take far less on any line that carries video.
        public var messageSeconds = 10
        /// Seconds without a request after which a connection without session is closed.
        public var idleSeconds = 60
        /// Sessions of one connection; clients use one, recorders one per stream of a device.
        public var maximumSessionCount = 8
        /// Seconds for which a request waits for somebody else's decision.
        public var decisionSeconds = 15
        /// Whether media may travel by SRTP, for clients that come through TLS, by which keys are told.
        public var servesSRTP = false
        /// Bytes that may wait behind a request that is not answered yet; at half of it ``ServerConnection/wantsBytes``
        /// turns false, so that who heeds it never gets there. All that wait may be answered in one go: 16 KB of the
        /// shortest requests make 100 KB of replies.
        public var maximumWaitingByteCount = 32 * 1024

        /// Messages that one input has handled; the rest wait for ``ServerConnection/continueProcessing(at:)``. 16 requests take less
        /// than a millisecond, so the owner can serve other connections in between.
        public var messagesPerStep = 16
        /// Transports of one SETUP that are considered. Clients offer one to four.
        public var maximumOfferCount = 16

        public init() {}
    }
}
