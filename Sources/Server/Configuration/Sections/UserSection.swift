import RTSP
import Yams

extension Configuration {
    /// A user and its rights.
    public struct User: Hashable, Sendable {
        /// `nil` if none is set; then the user cannot log in.
        public var password: StoredPassword?
        public var read = [PathPattern("*")].compactMap(\.self)
        public var publish: [PathPattern] = []
        public var control: [PathPattern] = []
        public var status = false
        /// Empty for all addresses.
        public var allow: [AddressBlock] = []
        public var deny: [AddressBlock] = []

        public init() {}
    }
}

extension Schema<Configuration.User> {
    static var user: Self {
        Schema(
            takingEffect: .live,
            .password(
                "password", \.password,
                "The password, or a hash of it from apus password. The password cannot be read from an md5:… or sha-256:… hash, "
                    + "but the hash itself is enough to log in here. A salted:… hash is not, and works for Basic inside TLS and "
                    + "for VLC's SAT>IP only."
            ).secret(),
            .patterns("read", \.read, "Paths that the user may watch."),
            .patterns("publish", \.publish, "Paths that the user may publish to."),
            .patterns("control", \.control, "Paths whose options the user may change."),
            .boolean(
                "status", \.status,
                "Whether the user may read the status of the server over HTTP: sources, viewers with their addresses, and "
                    + "metrics. Clients on this host may read it without a user."),
            .blocks("allow", \.allow, "Addresses that the user may connect from; empty for all addresses."),
            .blocks("deny", \.deny, "Addresses that the user may not connect from, even if allow contains them."))
    }
}

extension Entry {
    /// A password, which no message repeats.
    fileprivate static func password(
        _ key: String, _ member: WritableKeyPath<Section, StoredPassword?>, _ reason: String
    ) -> Self {
        Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .scalar(let scalar) = node, !node.isNothing, let password = StoredPassword(scalar.string)
                else {
                    return reading.note("expects \(StoredPassword.expectation)", at: node, path)
                }
                section[keyPath: member] = password
            },
            content: .option(
                OptionText(expectation: StoredPassword.expectation, reason: reason) { section in
                    section[keyPath: member].map { quoted($0.text) }
                }))
    }
}

/// Whether a user may have this name: clients need no escapes for it in URLs and quoted strings.
public func isUserName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
        && name.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
            default: false
            }
        }
}
