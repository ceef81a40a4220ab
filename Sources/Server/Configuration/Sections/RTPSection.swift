extension Configuration {
    /// RTP packets, and the UDP ports that they are sent from.
    public struct RTP: Hashable, Sendable {
        public var maximumPacketBytes = 1400
        /// The maximum of IPv6 on Ethernet.
        static let longestPacketBytes = 1452
        public var firstUDPPort = 6970
        public var lastUDPPort = 7169
        public var dscp = 0
        public var separateSockets = 512

        public init() {}
    }
}

extension Schema<Configuration.RTP> {
    static var rtp: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer(
                "maximumPacketBytes", \.maximumPacketBytes, in: 256...Configuration.RTP.longestPacketBytes,
                unit: "bytes of UDP payload",
                "1400 leaves space for header extensions, an SRTP tag and tunnels; 1452 is the maximum of IPv6 on Ethernet."
            ),
            .integer(
                "firstUDPPort", \.firstUDPPort, in: 1024...65_534, unit: "UDP port",
                "First UDP port for RTP and RTCP; each event loop uses two."),
            .integer(
                "lastUDPPort", \.lastUDPPort, in: 1025...65_535, unit: "UDP port",
                "Last UDP port for RTP and RTCP. Open this range in your firewall."),
            .integer(
                "dscp", \.dscp, in: 0...63,
                "Differentiated services code point (DSCP) of media packets, such as 34 (AF41) if your network uses it."
            ),
            .integer(
                "separateSockets", \.separateSockets, in: 0...65_536,
                "Client addresses per event loop that may get a separate UDP socket. They get one while a slow network "
                    + "interface fills the send buffer that all clients share, because it would delay all of them. 512 use "
                    + "at most 10 MB and 512 file descriptors; 0 for none."))
    }
}
