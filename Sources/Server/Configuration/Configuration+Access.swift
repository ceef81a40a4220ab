import RTSP

extension Configuration {
    /// Who is let in, and how they prove who they are.
    public struct Access: Hashable, Sendable {
        /// What the passwords are for.
        public var realm = "Apus"
        public var digest = Digest.md5
        public var nonceSeconds = 600
        /// 0 for any number.
        public var wrongPasswords = 10
        /// Of one IPv6 /64; 0 for any number.
        public var wrongPasswordsPerNetwork = 40
        public var lockOutSeconds = 300
        public var wrongPasswordMilliseconds = 500
        public var guessingAddresses = 4096
        /// All where empty.
        public var allow: [AddressBlock] = []
        public var deny: [AddressBlock] = []
        /// Without users, whether other hosts watch without a password, too.
        public var open = false
        /// Without users, what clients on the server's own host need.
        public var loopback = Loopback.free
        public var satip = SATIP.credentials
        /// Empty where nobody else decides.
        public var httpCallback = ""
        public var httpCallbackMilliseconds = 5_000
        public var httpCallbackPerAddress = 2
        public var httpCallbackExcept: [PathPattern] = []

        public init() {}

        /// From whom the credentials are taken that VLC's SAT>IP sends in its URL.
        public enum SATIP: String, CaseIterable, Sendable {
            case credentials
            case loopback
            case off
        }

        /// What clients need whose connections come from the server's own host.
        public enum Loopback: String, CaseIterable, Sendable {
            case free
            case password
        }

        /// The hash that passwords are proved with.
        public enum Digest: String, CaseIterable, Sendable {
            case md5 = "md5"
            case sha256 = "sha-256"

            public var algorithm: DigestAlgorithm { self == .md5 ? .md5 : .sha256 }
        }
    }

    /// Somebody who may do something.
    public struct User: Hashable, Sendable {
        /// `nil` where none is set, with which nobody gets in.
        public var password: StoredPassword?
        public var read = [PathPattern("*")].compactMap(\.self)
        public var publish: [PathPattern] = []
        public var control: [PathPattern] = []
        /// All where empty.
        public var allow: [AddressBlock] = []
        public var deny: [AddressBlock] = []

        public init() {}
    }

    /// Notes users with whom nobody could get in.
    func noteUsers(in reading: inout Reading) {
        if access.loopback == .password, access.open {
            reading.note(
                "asks for a password, and access.open asks nobody for one: remove either",
                with: .root + "access" + "loopback")
        }
        noteHashFunctions(in: &reading)
        noteCallback(in: &reading)
        for (name, user) in users.sorted(by: { $0.key < $1.key }) {
            let option = OptionPath.root + "users" + name
            guard let password = user.password else {
                reading.note("has no password; `apus password \(name)` makes one", with: option)
                continue
            }
            if let algorithm = password.algorithm, algorithm != access.digest.algorithm {
                reading.note(
                    "is for access.digest \(algorithm.rawValue.lowercased()), which is \(access.digest.rawValue) here; "
                        + "`apus password \(name)` makes another",
                    with: option + "password")
            }
        }
    }
}

extension Configuration {
    /// Notes what cannot be asked, or would be asked in vain.
    private func noteCallback(in reading: inout Reading) {
        let option = OptionPath.root + "access" + "httpCallback"
        guard !access.httpCallback.isEmpty else { return }
        if !["http://", "https://"].contains(where: access.httpCallback.hasPrefix) {
            reading.note("is to begin with http:// or https://", with: option)
        }
        if !users.isEmpty { reading.note("decides instead of users: remove either", with: option) }
        if access.open {
            reading.note("decides who watches, and access.open lets everybody: remove either", with: option)
        }
    }

    /// Notes it where nobody's password could be tried on this host.
    private func noteHashFunctions(in reading: inout Reading) {
        guard !users.isEmpty else { return }
        do throws(OpenSSLFailure) {
            _ = try HashFunctions.openSSL()
        } catch {
            reading.note("\(error)", with: .root + "users")
        }
    }
}

/// Whether somebody may be called so: what clients need not escape in URLs and quotes.
public func isUserName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
        && name.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
            default: false
            }
        }
}
