extension Configuration {
    /// Notes options with which TLS cannot work.
    func noteTLS(in reading: inout Reading) {
        noteHTTPPorts(in: &reading)
        noteRTMPPorts(in: &reading)
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

    /// Notes ports of the RTMP server that others have.
    private func noteRTMPPorts(in reading: inout Reading) {
        guard servesRTMP else { return }
        let isClear = tls.encryption != .strict
        let isSecure = tls.encryption != .no
        var others = [
            isClear ? ("server.port", server.port) : nil, isSecure ? ("tls.port", tls.port) : nil,
            isClear && http.port != 0 ? ("http.port", http.port) : nil,
            isSecure && http.port != 0 ? ("http.tlsPort", http.tlsPort) : nil,
        ].compactMap(\.self)
        let own = [isClear ? ("port", rtmp.port) : nil, isSecure ? ("tlsPort", rtmp.tlsPort) : nil].compactMap(\.self)
        for (name, port) in own {
            for (other, taken) in others where taken == port {
                reading.note("is the same as \(other); the defaults are 1935 and 1936", with: .root + "rtmp" + name)
            }
            others.append(("rtmp.\(name)", port))
        }
    }

    /// Notes ports of the HTTP server that others have.
    private func noteHTTPPorts(in reading: inout Reading) {
        guard http.port != 0 else { return }
        var others = tls.encryption == .strict ? [] : [("server.port", server.port)]
        if tls.encryption != .no { others.append(("tls.port", tls.port)) }
        var own: [(String, Int)] = tls.encryption == .strict ? [] : [("port", http.port)]
        if tls.encryption != .no { own.append(("tlsPort", http.tlsPort)) }
        for (name, port) in own {
            for (other, taken) in others where taken == port {
                reading.note("is the same as \(other); the defaults are 8888 and 8889", with: .root + "http" + name)
            }
            others.append(("http.\(name)", port))
        }
    }
}
