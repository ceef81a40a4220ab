import RTSP

extension Configuration {
    /// Which clients may watch, and how they authenticate.
    public struct Access: Hashable, Sendable {
        /// The realm of HTTP authentication (RFC 2617), which clients show to their users.
        public var realm = "Apus"
        public var digest = DigestAlgorithm.md5
        public var nonceSeconds = 600
        /// 0 for no limit.
        public var wrongPasswords = 10
        /// From one IPv6 /64; 0 for no limit.
        public var wrongPasswordsPerNetwork = 40
        public var lockOutSeconds = 300
        public var wrongPasswordMilliseconds = 500
        public var guessingAddresses = 4096
        /// Empty for all addresses.
        public var allow: [AddressBlock] = []
        public var deny: [AddressBlock] = []
        /// Where the server itself may connect to. Empty for all addresses.
        public var connectAllow: [AddressBlock] = []
        public var connectDeny: [AddressBlock] = []
        /// Without users: whether other hosts need no password either.
        public var open = false
        /// Without users: whether clients on the server's own host must authenticate.
        public var loopback = AccessPolicy.Loopback.free
        public var satip = AccessPolicy.URLCredentials.all
        /// URL of the web server that decides; empty for none.
        public var httpCallback = ""
        public var httpCallbackMilliseconds = 5_000
        public var httpCallbackPerAddress = 2
        public var httpCallbackExcept: [PathPattern] = []

        public init() {}
    }
}

extension Schema<Configuration.Access> {
    static var access: Self {
        Schema(
            takingEffect: .live,
            .value(
                "realm", \.realm, expecting: "1 to 64 letters, digits and spaces",
                "The name of the protected area that clients show when they ask for a password. The hashes that apus password "
                    + "makes contain the realm: make them again after a change.",
                parse: { text, _ in isRealm(text) ? text : nil }, show: quoted),
            .choice(
                "digest", \.digest, among: DigestAlgorithm.allCases, word: \.word,
                "Hash algorithm of Digest authentication. ffmpeg, live555 and go2rtc support md5 only. With either, an "
                    + "eavesdropper can reuse what a client sends on that one connection only."),
            .integer(
                "nonceSeconds", \.nonceSeconds, in: 10...86_400, unit: "seconds",
                "How long a client may use one Digest challenge. After that it gets a new challenge, and does not have to ask "
                    + "its user again."),
            .integer(
                "wrongPasswords", \.wrongPasswords, in: 0...1000,
                "Wrong passwords from one address after which this address is locked out; 0 for no limit. Players repeat a wrong "
                    + "password one to three times. Requests without a password do not count."),
            .integer(
                "wrongPasswordsPerNetwork", \.wrongPasswordsPerNetwork, in: 0...100_000,
                "Wrong passwords from all addresses of one IPv6 network (/64) after which this network is locked out; 0 "
                    + "for no limit. One host can use every address of its /64. The default is wrongPasswords for four "
                    + "addresses."),
            .integer(
                "lockOutSeconds", \.lockOutSeconds, in: 1...86_400, unit: "seconds",
                "How long an address is locked out, and how long a wrong password counts: 10 in 300 s are 120 in an hour. "
                    + "Clients of that address that are playing already keep playing."),
            .integer(
                "wrongPasswordMilliseconds", \.wrongPasswordMilliseconds, in: 0...10_000, unit: "milliseconds",
                "Delay of the answer to a wrong password, and of all later requests on the same connection."),
            .integer(
                "guessingAddresses", \.guessingAddresses, in: 16...1_000_000,
                "Number of addresses and IPv6 networks whose wrong passwords are remembered, at 100 bytes each. If there "
                    + "are more, the one with the oldest wrong password is dropped, unless it is locked out. While all of "
                    + "them are locked out, all further addresses are counted, and locked out, as one."),
            .blocks(
                "allow", \.allow,
                "Addresses that may connect, such as 192.168.0.0/16 or 2001:db8::/32; empty for all addresses."),
            .blocks("deny", \.deny, "Addresses that may not connect, even if allow contains them."),
            .blocks(
                "connectAllow", \.connectAllow,
                "Addresses to which the server may connect for the streams of other servers and for webhooks; empty for all "
                    + "addresses. A server elsewhere that redirects to an address of this host or a link-local one, or whose "
                    + "playlist names one, is followed only if this list names the address. Changes apply to new connections."
            ),
            .blocks(
                "connectDeny", \.connectDeny,
                "Addresses to which the server may not connect for the streams of other servers and for webhooks, even if "
                    + "connectAllow contains them."),
            .boolean(
                "open", \.open,
                "If there are no users: whether every host may watch without a password, as with --open. Otherwise only this "
                    + "host may, and other hosts need the viewer's password, which the first start creates. allow and deny "
                    + "still apply."),
            .choice(
                "loopback", \.loopback, among: [.free, .freeToPublish, .asOthers], word: \.word,
                "If there are no users: whether clients on this host need a password. free: they need none to watch, and the "
                    + "publisher's password to publish. publish: they need none at all. password: they need the same as all "
                    + "other clients. A forwarder on this host (ssh -R, stunnel, a proxy) "
                    + "makes remote clients look like clients on this host: choose password if there is one."),
            .choice(
                "satip", \.satip, among: AccessPolicy.URLCredentials.allCases, word: \.word,
                "From which clients a user and password in the URL are accepted. VLC of Debian and Ubuntu sends them like this, "
                    + "unencrypted (SAT>IP). credentials: from all clients. loopback: from this host. off: from no client; "
                    + "that VLC then plays only what needs no password."),
            .text(
                "httpCallback", \.httpCallback, maximumBytes: 2000,
                "URL of a web server that decides, in place of users, whether a client may do what it requests. Apus sends it an "
                    + "HTTP POST with the fields of MediaMTX's authHTTPAddress; a 2xx status permits the request, every other "
                    + "status denies it. Empty for none."),
            .integer(
                "httpCallbackMilliseconds", \.httpCallbackMilliseconds, in: 100...10_000, unit: "milliseconds",
                "How long the web server may take to answer; after that the client gets 503. Other clients do not wait."
            ),
            .integer(
                "httpCallbackPerAddress", \.httpCallbackPerAddress, in: 1...64,
                "Requests from one address (IPv6: from one /64) that may wait for the web server at the same time; further "
                    + "ones get 503 at once. 4 requests are sent to the web server at a time, so 2 per address leave 2 for "
                    + "other addresses. Raise it if many clients share one address."),
            .patterns(
                "httpCallbackExcept", \.httpCallbackExcept,
                "Paths that all clients may watch without a question to the web server."))
    }

    private static func isRealm(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x20 || isUserName(String(UnicodeScalar($0))) }
    }
}

// MARK: - Words of the configuration

extension DigestAlgorithm {
    /// As `access.digest` and the hashes of passwords name it.
    var word: String { rawValue.lowercased() }
}

extension AccessPolicy.Loopback {
    fileprivate var word: String {
        switch self {
        case .free: "free"
        case .freeToPublish: "publish"
        case .asOthers: "password"
        }
    }
}

extension AccessPolicy.URLCredentials {
    fileprivate var word: String {
        switch self {
        case .all: "credentials"
        case .loopback: "loopback"
        case .none: "off"
        }
    }
}
