import Delivery
import RTSPServer

extension Configuration {
    /// How clients publish a path with `source: publish`.
    public struct Publish: Hashable, Sendable {
        public var override = PublishingPoint.Override.sameUser
        /// Of a pattern.
        public var maximumPaths = 64
        /// Of a pattern.
        public var maximumPathsPerUser = 8

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
                    + "always: any publisher. never: none; others get 403 with the address of the one that publishes."),
            .integer(
                "maximumPaths", \.maximumPaths, in: 1...1000,
                "Of a pattern such as live/*: how many paths publishers may create. Each keeps recent media (ring)."),
            .integer(
                "maximumPathsPerUser", \.maximumPathsPerUser, in: 1...1000,
                "Of a pattern: how many of these paths one user may have, or without users one host."))
    }
}
