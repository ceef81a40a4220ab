import RTSPServer

extension Configuration {
    /// How clients publish a path with `source: publish`.
    public struct Publish: Hashable, Sendable {
        public var override = PublishingPoint.Override.sameUser

        public init() {}
    }
}

extension Schema<Configuration.Publish> {
    static var publish: Self {
        Schema(
            takingEffect: .live,
            .choice(
                "override", \.override,
                "Which publisher takes over while another publishes: the viewers stay, and see the new one from its first keyframe. "
                    + "sameUser: the same user, or without users the same host, such as a phone that has changed its network. "
                    + "always: any publisher. never: none; others get 403 with the address of the one that publishes."))
    }
}
