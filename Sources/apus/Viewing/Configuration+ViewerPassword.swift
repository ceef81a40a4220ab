import Server

extension Configuration {
    /// The viewer's password, if the configuration has clients need it and this user may read it; else says on standard error why
    /// not.
    ///
    /// - Throws: if the file holds no usable password, with which the server does not start either.
    func storedViewerPassword() throws(StateFailure) -> ViewerPassword? {
        guard needsViewerPassword else { return nil }
        do throws(StateFailure) {
            if let password = try StateFolder.usual?.viewerPassword() { return password }
            writeToStandardError(
                "apus: note: the server keeps its password in another folder, which it names at its start\n")
        } catch {
            guard error.kind == .access else { throw error }
            writeToStandardError("apus: note: no password: \(error)\n")
        }
        return nil
    }
}
