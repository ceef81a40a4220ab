import RTSP
import Yams

// The options of who may watch.

extension Schema<Configuration.Access> {
    static var access: Self {
        Schema([
            .value(
                "realm", \.realm, expecting: "1 to 64 letters, digits and blanks",
                "What clients are told that the password is for. It is hashed with each password, so that those that "
                    + "apus password has made are to be made again after a change.",
                parse: { text, _ in isRealm(text) ? text : nil }, show: quoted),
            .choice(
                "digest", \.digest,
                "The hash that passwords are proved with. ffmpeg, live555 and go2rtc know md5 alone; what goes over the "
                    + "wire is good for one connection either way."),
            .integer(
                "nonceSeconds", \.nonceSeconds, in: 10...86_400, unit: "seconds",
                "How long a client may answer one challenge; it is given the next without asking anybody."),
            .integer(
                "wrongPasswords", \.wrongPasswords, in: 0...1000,
                "From one address, after which it is locked out, and no other; 0 for any number. Players send a wrong one one "
                    + "to three times; requests without any are none."),
            .integer(
                "wrongPasswordsPerNetwork", \.wrongPasswordsPerNetwork, in: 0...100_000,
                "From all addresses of one IPv6 network (/64), after which all of it is locked out; 0 for any number. One "
                    + "host can use every address of its /64. The default allows four addresses their wrongPasswords."),
            .integer(
                "lockOutSeconds", \.lockOutSeconds, in: 1...86_400, unit: "seconds",
                "How long an address is locked out, and how long a wrong password is remembered: 10 of them in 300 s are 120 "
                    + "an hour. Who watches already goes on."),
            .integer(
                "wrongPasswordMilliseconds", \.wrongPasswordMilliseconds, in: 0...10_000, unit: "milliseconds",
                "How long the answer to a wrong password waits, with all that the connection asks behind it."),
            .integer(
                "guessingAddresses", \.guessingAddresses, in: 16...1_000_000,
                "Addresses and IPv6 networks whose wrong passwords are remembered, at 100 bytes each. Of more, the one that has "
                    + "guessed last longest ago is forgotten, but none that is locked out. While all of them are locked out, "
                    + "further addresses are counted, and locked out, together."),
            .blocks(
                "allow", \.allow, "Addresses that are let in, as 192.168.0.0/16 or 2001:db8::/32; all where empty."),
            .blocks("deny", \.deny, "Addresses that are not, whatever allow says."),
            .boolean(
                "open", \.open,
                "Without users, whether everybody watches whom the lists above let in, without a password: as --open. Else only "
                    + "this host does, and others need the viewer's password, which is made at the first start."),
            .choice(
                "loopback", \.loopback,
                "Without users, whether clients on this host watch without a password. A forwarder on this host (ssh -R, stunnel, a "
                    + "proxy) makes its remote clients look like clients on this host: choose password if there is one. "
                    + "free: they watch. password: they need the viewer's password, as all others."),
            .choice(
                "satip", \.satip,
                "From whom user and password are taken that stand in a URL, in the clear, as VLC of Debian and Ubuntu sends "
                    + "them (SAT>IP). credentials: from everybody. loopback: from this host. off: from nobody, and "
                    + "that VLC cannot log in. It plays where no password is asked for."),
            .text(
                "httpCallback", \.httpCallback, maximumBytes: 2000,
                "URL that is asked, by an HTTP POST, whether a client may do what it wants, in place of users: 2xx lets it, all else "
                    + "does not. The fields are those of MediaMTX's authHTTPAddress. Empty to ask nobody."),
            .integer(
                "httpCallbackMilliseconds", \.httpCallbackMilliseconds, in: 100...10_000, unit: "milliseconds",
                "How long its answer may take; then the client is told 503, and to nobody else anything happens."),
            .integer(
                "httpCallbackPerAddress", \.httpCallbackPerAddress, in: 1...64,
                "Requests of one address (of IPv6: of one /64) that may wait for its answer at the same time; further ones are told "
                    + "503 at once. 2 of the 4 that are asked at once leave 2 for all other addresses; set more if many clients share "
                    + "one address."),
            .patterns("httpCallbackExcept", \.httpCallbackExcept, "Paths that everybody watches, without asking it."),
        ])
    }

    private static func isRealm(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x20 || isUserName(String(UnicodeScalar($0))) }
    }
}

extension Schema<Configuration.User> {
    static var user: Self {
        Schema([
            .password(
                "password", \.password,
                "The password, or what apus password makes of it: md5:… and sha-256:… let nobody read it, but log in here; "
                    + "salted:… not even that, and is for Basic inside TLS and for VLC's SAT>IP alone."),
            .patterns("read", \.read, "Paths to watch."),
            .patterns("publish", \.publish, "Paths to send to."),
            .patterns("control", \.control, "Paths to change the options of."),
            .blocks("allow", \.allow, "Addresses to come from; all where empty."),
            .blocks("deny", \.deny, "Addresses not to come from, whatever allow says."),
        ])
    }
}

extension Entry {
    fileprivate static func blocks(
        _ key: String, _ member: WritableKeyPath<Section, [AddressBlock]>, _ reason: String
    ) -> Self {
        list(
            key, member, of: "address or block of addresses with no bit set behind its length", reason,
            parse: { AddressBlock($0) }, show: \.description)
    }

    fileprivate static func patterns(
        _ key: String, _ member: WritableKeyPath<Section, [PathPattern]>, _ reason: String
    ) -> Self {
        list(
            key, member, of: "path, yard/* for all that begin with yard/, or \"*\" for all", reason,
            parse: { PathPattern($0) }, show: \.description)
    }

    /// Values of one kind, in a list; a single one stands for a list of it.
    private static func list<Value>(
        _ key: String, _ member: WritableKeyPath<Section, [Value]>, of item: String, _ reason: String,
        parse: @escaping (String) -> Value?, show: @escaping (Value) -> String
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
                    if case .scalar(let scalar) = item, scalar.anchor == nil, let value = parse(scalar.string) {
                        return value
                    }
                    reading.note("expects \(expectation), not \(item.kind)", at: item, path)
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
