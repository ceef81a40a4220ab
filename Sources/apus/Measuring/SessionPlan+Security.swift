import ArgumentParser
import RTSPClient

/// Whether a server has to prove who it is.
struct SecurityOptions: ParsableArguments {
    @Flag(help: "Go through TLS (rtsps://) with whoever answers: certificates are not verified yet.")
    var insecure = false
}

extension SessionPlan {
    /// Makes it ready to go through TLS, where its URL says so.
    ///
    /// - Throws: where the user has not said that anybody may answer.
    mutating func prepareSecurity(_ options: SecurityOptions) throws {
        guard isSecure else { return }
        guard options.insecure else {
            throw ValidationError(
                "no certificate is verified yet: add --insecure to believe whoever answers at \(url.host)")
        }
        try acceptAnyCertificate()
    }
}
