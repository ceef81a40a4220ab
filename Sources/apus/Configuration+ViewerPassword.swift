import Server

extension Configuration {
    /// What other hosts than the server's need, where they do and this user may know it; else says on standard error why not.
    var keptViewerPassword: ViewerPassword? {
        guard needsViewerPassword else { return nil }
        do throws(StateFailure) {
            if let password = try StateFolder.usual?.viewerPassword() { return password }
            writeToStandardError("apus: note: the server keeps its password elsewhere: see the URLs of its start\n")
        } catch {
            writeToStandardError("apus: note: no password: \(error)\n")
        }
        return nil
    }
}
