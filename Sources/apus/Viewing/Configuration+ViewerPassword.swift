import Server

extension Configuration {
    /// The viewer's password, if clients need it and this user may read it; otherwise prints the reason on standard error.
    ///
    /// - Throws: if the password in the file is unusable. The server does not start with such a file either.
    func storedViewerPassword() throws(StateFailure) -> GeneratedPassword? {
        guard needsViewerPassword else { return nil }
        do throws(StateFailure) {
            if let password = try StateFolder.usual?.password() { return password }
            writeToStandardError(
                "apus: note: no password found; the server prints the folder of its password when it starts\n")
        } catch {
            guard error.kind == .access else { throw error }
            writeToStandardError("apus: note: cannot read the password: \(error)\n")
        }
        return nil
    }
}
