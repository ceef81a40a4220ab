extension Configuration {
    /// Notes options with which TLS cannot work.
    func noteTLS(in reading: inout Reading) {
        guard tls.encryption != .no else { return }
        let section = OptionPath.root + "tls"
        if tls.encryption == .optional, tls.port == server.port {
            reading.note("is the same as server.port; the defaults are 8322 and 8554", with: section + "port")
        }
        do throws(CertificateFailure) {
            try CertificateFiles(tls).check()
        } catch {
            reading.note("\(error)", with: section + error.file.rawValue)
        }
        guard tls.encryption == .strict else { return }
        for (name, _) in paths.filter(\.value.isMulticast).sorted(by: { $0.key < $1.key }) {
            reading.note(
                "is multicast, which is not encrypted, but tls.encryption is strict; change one of them",
                with: .root + "paths" + name)
        }
    }
}
