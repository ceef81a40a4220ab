import RTSP

extension Configuration {
    /// Which clients may watch, and how they authenticate.
    public struct Access: Hashable, Sendable {
        /// The realm of HTTP authentication (RFC 2617), which clients show to their users.
        public var realm = "Apus"
        public var digest = Digest.md5
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
        /// Without users: whether other hosts need no password either.
        public var open = false
        /// Without users: what clients on the server's own host need.
        public var loopback = Loopback.free
        public var satip = SATIP.credentials
        /// URL of the web server that decides; empty for none.
        public var httpCallback = ""
        public var httpCallbackMilliseconds = 5_000
        public var httpCallbackPerAddress = 2
        public var httpCallbackExcept: [PathPattern] = []

        public init() {}

        /// From which clients the credentials are accepted that VLC's SAT>IP sends in its URL.
        public enum SATIP: String, CaseIterable, Sendable {
            case credentials
            case loopback
            case off
        }

        /// What clients on the server's own host need.
        public enum Loopback: String, CaseIterable, Sendable {
            case free
            case password
        }

        /// The hash algorithm of Digest authentication.
        public enum Digest: String, CaseIterable, Sendable {
            case md5 = "md5"
            case sha256 = "sha-256"

            public var algorithm: DigestAlgorithm { self == .md5 ? .md5 : .sha256 }
        }
    }

    /// A user and its rights.
    public struct User: Hashable, Sendable {
        /// `nil` if none is set; then the user cannot log in.
        public var password: StoredPassword?
        public var read = [PathPattern("*")].compactMap(\.self)
        public var publish: [PathPattern] = []
        public var control: [PathPattern] = []
        /// Empty for all addresses.
        public var allow: [AddressBlock] = []
        public var deny: [AddressBlock] = []

        public init() {}
    }

    /// Notes users that cannot log in, and options that contradict each other.
    func noteUsers(in reading: inout Reading) {
        if access.loopback == .password, access.open {
            reading.note(
                "is password, but access.open lets every client watch without a password; remove one of them",
                with: .root + "access" + "loopback")
        }
        noteHashFunctions(in: &reading)
        noteCallback(in: &reading)
        for (name, user) in users.sorted(by: { $0.key < $1.key }) {
            let option = OptionPath.root + "users" + name
            guard let password = user.password else {
                reading.note("has no password; `apus password \(name)` makes an entry with one", with: option)
                continue
            }
            if let algorithm = password.algorithm, algorithm != access.digest.algorithm {
                reading.note(
                    "is a hash for access.digest \(algorithm.rawValue.lowercased()), but access.digest is "
                        + "\(access.digest.rawValue); `apus password \(name)` makes the right one",
                    with: option + "password")
            }
        }
    }
}

extension Configuration {
    /// Notes a URL that cannot be used, and options that contradict it.
    private func noteCallback(in reading: inout Reading) {
        let option = OptionPath.root + "access" + "httpCallback"
        guard !access.httpCallback.isEmpty else { return }
        if !["http://", "https://"].contains(where: access.httpCallback.hasPrefix) {
            reading.note("must begin with http:// or https://", with: option)
        }
        if !users.isEmpty { reading.note("replaces users, but there are users; remove one of them", with: option) }
        if access.open {
            reading.note(
                "decides which clients may watch, but access.open lets all of them watch; remove one of them",
                with: option)
        }
    }

    /// Notes that this host lacks the hash functions to check passwords.
    private func noteHashFunctions(in reading: inout Reading) {
        guard !users.isEmpty else { return }
        do throws(OpenSSLFailure) {
            _ = try HashFunctions.openSSL()
        } catch {
            reading.note("\(error)", with: .root + "users")
        }
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
