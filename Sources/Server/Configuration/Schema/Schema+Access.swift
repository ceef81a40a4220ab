import RTSP
import Yams

// The options that decide which clients may watch.

extension Schema<Configuration.Access> {
    static var access: Self {
        Schema.live([
            .value(
                "realm", \.realm, expecting: "1 to 64 letters, digits and spaces",
                "The name of the protected area that clients show when they ask for a password. The hashes that apus password "
                    + "makes contain the realm: make them again after a change.",
                parse: { text, _ in isRealm(text) ? text : nil }, show: quoted),
            .choice(
                "digest", \.digest,
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
            .boolean(
                "open", \.open,
                "If there are no users: whether every host may watch without a password, as with --open. Otherwise only this "
                    + "host may, and other hosts need the viewer's password, which the first start creates. allow and deny "
                    + "still apply."),
            .choice(
                "loopback", \.loopback,
                "If there are no users: whether clients on this host need the viewer's password. free: they do not. "
                    + "password: they need it, like all other clients. A forwarder on this host (ssh -R, stunnel, a proxy) "
                    + "makes remote clients look like clients on this host: choose password if there is one."),
            .choice(
                "satip", \.satip,
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
                "Paths that all clients may watch without a question to the web server."),
        ])
    }

    private static func isRealm(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x20 || isUserName(String(UnicodeScalar($0))) }
    }
}

extension Schema<Configuration.User> {
    static var user: Self {
        Schema.live([
            .password(
                "password", \.password,
                "The password, or a hash of it from apus password. The password cannot be read from an md5:… or sha-256:… hash, "
                    + "but the hash itself is enough to log in here. A salted:… hash is not, and works for Basic inside TLS and "
                    + "for VLC's SAT>IP only."),
            .patterns("read", \.read, "Paths that the user may watch."),
            .patterns("publish", \.publish, "Paths that the user may publish to."),
            .patterns("control", \.control, "Paths whose options the user may change."),
            .blocks("allow", \.allow, "Addresses that the user may connect from; empty for all addresses."),
            .blocks("deny", \.deny, "Addresses that the user may not connect from, even if allow contains them."),
        ])
    }
}

extension Entry {
    fileprivate static func blocks(
        _ key: String, _ member: WritableKeyPath<Section, [AddressBlock]>, _ reason: String
    ) -> Self {
        list(
            key, member, of: "address, or network such as 192.168.1.0/24", reason, parse: { AddressBlock($0) },
            show: \.description, advice: adviceForHostInNetwork)
    }

    fileprivate static func patterns(
        _ key: String, _ member: WritableKeyPath<Section, [PathPattern]>, _ reason: String
    ) -> Self {
        list(
            key, member, of: "path, yard/* for all that begin with yard/, or \"*\" for all", reason,
            parse: { PathPattern($0) }, show: \.description)
    }

    /// A list of values of one kind. A single value stands for a list of one.
    private static func list<Value>(
        _ key: String, _ member: WritableKeyPath<Section, [Value]>, of item: String, _ reason: String,
        parse: @escaping (String) -> Value?, show: @escaping (Value) -> String,
        advice: @escaping (String) -> String? = { _ in nil }
    ) -> Self {
        let expectation =
            "a list of at most 64, each \(item.first.map { "aeiou".contains($0) } == true ? "an" : "a") \(item)"
        return Entry(
            key: key,
            read: { node, path, section, reading in
                let items: [Node]
                switch node {
                case .sequence(let sequence) where sequence.count <= 64: items = Array(sequence)
                case .scalar where !node.isNothing: items = [node]
                default: return reading.note("expects \(expectation), not \(node.kind)", at: node, path)
                }
                section[keyPath: member] = items.compactMap { item in
                    guard case .scalar(let scalar) = item, scalar.anchor == nil else {
                        reading.note("expects \(expectation), not \(item.kind)", at: item, path)
                        return nil
                    }
                    if let value = parse(scalar.string) { return value }
                    let hint = advice(scalar.string).map { "; \($0)" } ?? ""
                    reading.note("expects \(expectation), not \(item.kind)\(hint)", at: item, path)
                    return nil
                }
            },
            reference: { section, indent in
                let value = "[\(section[keyPath: member].map { quoted(show($0)) }.joined(separator: ", "))]"
                return optionLines(key, value: value, expecting: expectation, reason, indent: indent)
            })
    }

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
            reference: { section, indent in
                comment("\(reason) Expects \(StoredPassword.expectation).", indent: indent)
                    + blanks(indent) + "\(key): \(quoted(section[keyPath: member]?.text ?? ""))\n"
            })
    }
}

/// What to write instead of `192.168.1.7/24`, in which the address is that of a host; `nil` for other text.
private func adviceForHostInNetwork(_ text: String) -> String? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(parts[0]), let length = UInt8(parts[1]) else { return nil }
    let network: IPAddress
    switch address {
    case .ipv4(let bits) where length <= 32: network = .ipv4(bits & ~(UInt32.max >> UInt32(length)))
    case .ipv6(let bits) where length <= 128: network = .ipv6(bits & ~(UInt128.max >> UInt128(length)))
    default: return "the number after the / is at most \(address.bitCount)"
    }
    return "write \(network)/\(length) for the network, or \(address) for the one address"
}

extension IPAddress {
    fileprivate var bitCount: Int {
        switch self {
        case .ipv4: 32
        case .ipv6: 128
        }
    }
}
