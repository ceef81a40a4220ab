import SRT

extension Configuration {
    /// Whether a destination names the path of `section`, by an address of loopback. Other addresses of this host are not looked up.
    private func leadsHere(_ destination: ForwardDestination, to section: OptionPath) -> Bool {
        let (host, isOwnPort, path) =
            switch destination {
            case .rtsp(let url, _):
                (url.host, Int(url.port ?? url.usualPort) == (url.isSecure ? tls.port : server.port), url.path)
            case .rtmp(let url, _):
                (url.host, Int(url.port) == (url.isSecure ? rtmp.tlsPort : rtmp.port), url.path)
            case .srt(let url, _):
                (
                    url.host, Int(url.port) == srt.port,
                    "/" + ((try? SRTStreamID(parsing: url.streamID.utf8))?.path ?? "")
                )
            }
        let isLoopback = ["localhost", "[::1]", "::1"].contains(host.lowercased()) || host.hasPrefix("127.")
        return isOwnPort && isLoopback && section.text == "paths.\(path.dropFirst()).forward"
    }

    /// Notes values of a path's forwards that cannot be combined.
    func noteForwards(of path: Path, at section: OptionPath, in reading: inout Reading) {
        let isPattern = section.text.hasSuffix("*.forward")
        for (index, forward) in path.forward.enumerated() {
            let option = path.forward.count == 1 ? section : section + "\(index + 1)"
            if !forward.destination.takesDatagrams, forward.transport == .udp {
                reading.note("must be tcp: UDP is for rtsp:// URLs", with: option + "transport")
            }
            if case .srt = forward.destination, !forward.user.isEmpty || !forward.password.isEmpty {
                reading.note("has no effect: the stream id of the URL names the user", with: option + "user")
            }
            if !forward.destination.isSecure, forward.certificate != .verify {
                reading.note("has no effect without an rtsps:// or rtmps:// URL", with: option + "certificate")
            }
            if forward.user.isEmpty, !forward.password.isEmpty {
                reading.note("has no effect without a user", with: option + "password")
            }
            if isPattern, !forward.destination.hasPlaceholder {
                reading.note(
                    "needs a star in the path of the URL, because the paths of a pattern cannot all be published to one path",
                    with: option + "url")
            }
            if leadsHere(forward.destination, to: section) {
                reading.note("is this path itself", with: option + "url")
            }
            if path.forward[..<index].contains(where: { $0.destination.place == forward.destination.place }) {
                reading.note("is listed twice", with: option + "url")
            }
        }
    }
}
