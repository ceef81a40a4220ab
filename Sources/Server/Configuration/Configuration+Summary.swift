import RTSP

extension Configuration {
    /// A summary for users: one line per port and one per path.
    public var summary: String {
        let address = server.address.isEmpty ? "all addresses" : server.address
        let lines = servedPaths.sorted { $0.key < $1.key }.map { name, path in
            let group = path.multicast == .off ? nil : multicastGroups[name].map { ", multicast \($0)" }
            let transportStream = transportStreamURL(of: name).map { ", \($0)" }
            return "/\(name): \(path.source)\(group ?? "")\(transportStream ?? "")"
        }
        let clear = tls.encryption == .strict ? [] : ["port \(server.port) on \(address)"]
        let secure = tls.encryption == .no ? [] : ["port \(tls.port) on \(address), with TLS"]
        let web = [
            clear.isEmpty || http.port == 0 ? nil : "port \(http.port) on \(address), for HTTP",
            secure.isEmpty || http.port == 0 ? nil : "port \(http.tlsPort) on \(address), for HTTP with TLS",
            clear.isEmpty || !servesRTMP ? nil : "port \(rtmp.port) on \(address), for RTMP",
            secure.isEmpty || !servesRTMP ? nil : "port \(rtmp.tlsPort) on \(address), for RTMP with TLS",
            servesWebRTC ? "port \(webrtc.port) on \(address), UDP and TCP, for WebRTC" : nil,
        ].compactMap(\.self)
        return (clear + secure + web + lines).map { $0 + "\n" }.joined()
    }

    /// The paths; the test card as `cam` if none is configured.
    public var servedPaths: [String: Path] {
        paths.isEmpty ? ["cam": Path()] : paths.filter { !isPublishPattern($0.key) }
    }

    /// The patterns of paths that publishers create, the longest first: the first that matches a path applies to it.
    var publishPatterns: [(pattern: PathPattern, path: Path)] {
        paths.filter { isPublishPattern($0.key) }.sorted { ($1.key.utf8.count, $0.key) < ($0.key.utf8.count, $1.key) }
            .compactMap { name, path in PathPattern(name).map { ($0, path) } }
    }

    /// The same paths, sorted by name, with substreams last: their parent streams come before them.
    var servedPathsParentsFirst: [(key: String, value: Path)] {
        let sorted = servedPaths.sorted { $0.key < $1.key }
        return sorted.filter { $0.value.source.parent == nil } + sorted.filter { $0.value.source.parent != nil }
    }

    /// The group of each multicast path: the first group for the first name in alphabetical order, and so on.
    public var multicastGroups: [String: MulticastGroup] {
        let names = servedPaths.filter(\.value.isMulticast).keys.sorted()
        return names.enumerated().reduce(into: [:]) { groups, entry in
            groups[entry.element] = multicast.firstGroup.advanced(by: entry.offset)
        }
    }

    /// One line for users per form (tracks, MPEG-TS) in which the path `name` is sent to its multicast group.
    func multicastLines(of name: String) -> [String] {
        guard let path = servedPaths[name], let group = multicastGroups[name] else { return [] }
        func when(_ multicasting: Path.Multicasting) -> String {
            multicasting == .always ? "always" : "while viewers ask for it"
        }
        let tracks =
            "multicast  \(group), UDP port \(multicast.port) and up, \(when(path.multicast)) (.sdp file: apus sdp)"
        let transportStream = transportStreamURL(of: name).map {
            "multicast  MPEG-TS, \(when(path.multicastTransportStream)): vlc \($0)"
        }
        return (path.multicast == .off ? [] : [tracks]) + [transportStream].compactMap(\.self)
    }

    /// The URL with which VLC opens the multicast MPEG-TS of the path `name`, `rtp://@239.255.42.1:5012`; `nil` if there is none.
    public func transportStreamURL(of name: String) -> String? {
        guard let path = servedPaths[name], path.multicastTransportStream != .off else { return nil }
        return multicastGroups[name].map { "rtp://@\($0):\(multicast.transportStreamPort)" }
    }
}

extension Configuration {
    /// A configuration file with every option, its reason, its unit and its default.
    public static var reference: String {
        var example = Configuration()
        example.paths = ["cam": Path()]
        return """
            # The configuration of Apus: every option, with its default as the value.
            #
            # Written by `apus reference`. Copy only what you want to change into ./apus.yml or /etc/apus/apus.yml, and run
            # `apus check` to find mistakes. Unknown keys and invalid values are errors. The line that begins with "Changes"
            # says when a running server uses a new value of the option (SIGHUP, apus set).

            \(Schema.configuration.reference(example, indent: 0))
            """
    }
}
