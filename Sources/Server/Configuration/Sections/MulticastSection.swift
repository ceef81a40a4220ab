extension Configuration {
    /// The groups that multicast paths get, in the order of their names.
    public struct Multicast: Hashable, Sendable {
        public var firstGroup = MulticastGroup.firstDefault
        public var lastGroup = MulticastGroup.lastDefault
        /// RTP port of the first track. RTCP uses the next port, the second track the next two ports, and so on.
        public var port = 5004
        public var timeToLive = 1
        /// Numeric address of the interface to send from; empty for the interface of the default route.
        public var interface = ""

        public init() {}

        /// Port of a path's MPEG-TS: above the ports of four tracks, so that no track uses it.
        public var transportStreamPort: Int { port + 8 }
    }
}

extension Schema<Configuration.Multicast> {
    static var multicast: Self {
        Schema(
            takingEffect: .groups,
            .group(
                "firstGroup", \.firstGroup,
                "Group of the first multicast path in alphabetical order; the second path gets the next group, and so on."
            ),
            .group("lastGroup", \.lastGroup, "Last group that a path may get.").takingEffect(.live),
            .integer(
                "port", \.port, in: 1024...65_500, unit: "UDP port, even",
                "RTP port of a path's first track; RTCP is one above, the next track two above, MPEG-TS eight above."
            ),
            .integer(
                "timeToLive", \.timeToLive, in: 0...255, unit: "hops",
                "Time to live (TTL) of multicast packets: 1 keeps them in the local network, 0 on this host."),
            .address(
                "interface", \.interface,
                "Address of the network interface to send from; empty for the interface of the default route."))
    }
}

extension Entry {
    fileprivate static func group(
        _ key: String, _ member: WritableKeyPath<Section, MulticastGroup>, _ reason: String
    ) -> Self {
        value(
            key, member, expecting: "an IPv4 multicast address from 224.0.0.0 to 239.255.255.255", reason,
            parse: { text, _ in MulticastGroup(text) }, show: \.description)
    }
}
