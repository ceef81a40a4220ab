import RTSP

extension Configuration {
    /// Notes users that cannot log in, and options that contradict each other.
    func noteUsers(in reading: inout Reading) {
        if access.loopback == .asOthers, access.open {
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
            if let algorithm = password.algorithm, algorithm != access.digest {
                reading.note(
                    "is a hash for access.digest \(algorithm.word), but access.digest is "
                        + "\(access.digest.word); `apus password \(name)` makes the right one",
                    with: option + "password")
            }
        }
    }

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
