import RTSP
import Streams

/// An extended M3U playlist for VLC: the URLs of a stream, each with options for low latency.
public struct VLCPlaylist: Hashable, Sendable {
    public let title: String
    /// VLC plays the first URL, and continues with the next one if a URL cannot be opened or ends.
    public let urls: [String]
    /// VLC's buffer.
    public let cachingMilliseconds: Int

    public init(title: String, urls: [String], cachingMilliseconds: Int) {
        self.title = title
        self.urls = urls
        self.cachingMilliseconds = cachingMilliseconds
    }

    /// The whole file, in UTF-8. Each line ends with a line feed.
    public var text: String {
        let entries = urls.map { url in
            ["#EXTINF:-1,\(titleLine)"] + options.map { "#EXTVLCOPT:\($0)" } + [url]
        }
        return (["#EXTM3U"] + entries.joined()).map { $0 + "\n" }.joined()
    }

    /// Options that VLC accepts in a playlist. It refuses `clock-synchro` there.
    private var options: [String] {
        [
            // The buffers of VLC's RTP and live555 accesses, and of its SAT>IP access.
            "network-caching=\(cachingMilliseconds)",
            "live-caching=\(cachingMilliseconds)",
            // How much VLC may increase its latency after late packets; 5 s by default.
            "clock-jitter=0",
        ]
    }

    /// The title for `#EXTINF`. VLC would show text before a comma, or before a dash between spaces, as the artist.
    private var titleLine: String {
        String(title.map { $0.isNewline ? " " : $0 }).replacing(",", with: ";").replacing(" - ", with: " – ")
    }
}

extension Configuration {
    /// The playlist with which VLC plays the path `name`: over RTSP from each of `hosts`, then from its multicast group, if that
    /// always gets MPEG-TS.
    ///
    /// - Parameter login: the user and password, if clients need them.
    /// - Throws: if the path does not exist, or if clients need a login and there is none.
    public func playlist(
        of name: String, hosts: [URLHost], login: URLLogin? = nil, cachingMilliseconds: Int
    ) throws(PlaylistFailure) -> VLCPlaylist {
        guard let path = servedPaths[name] else {
            throw .noPath(name, nearest: nearestName(to: name, among: servedPaths.keys))
        }
        guard tls.encryption != .strict else { throw .noTLS }
        guard login != nil || users.isEmpty else { throw .noLogin(users: viewers(of: name)) }
        let unicast = hosts.compactMap { host in
            let user = login?.text(at: host) ?? ""
            return host.vlcText.map { "rtsp://\(user)\($0):\(server.port)/\(name)" }
        }
        // A group that is sent to on request only gets nothing if VLC opens it without a request.
        let group = path.multicastTransportStream == .always ? transportStreamURL(of: name) : nil
        let urls = unicast + (group.map { [$0] } ?? [])
        guard !urls.isEmpty else { throw .noIPv4 }
        return VLCPlaylist(
            title: path.title.isEmpty ? name : path.title, urls: urls, cachingMilliseconds: cachingMilliseconds)
    }
}

extension Configuration {
    /// The users with the right to watch the path `name`, ascending.
    private func viewers(of name: String) -> [String] {
        users.filter { Grant(user: $0.key, [.read: $0.value.read]).admits(.read, "/" + name) }.keys.sorted()
    }
}

/// Why there is no playlist for a path.
public enum PlaylistFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case noPath(String, nearest: String?)
    case noIPv4
    case noTLS
    /// The configuration has users, and none was named.
    case noLogin(users: [String])

    public var description: String {
        switch self {
        case .noPath(let name, let nearest):
            "the configuration has no path /\(printable(name))" + (nearest.map { "; did you mean /\($0)?" } ?? "")
        case .noTLS:
            "VLC of Debian does not support rtsps://, and tls.encryption is strict; use another player with the URL that the server shows at its start"
        case .noLogin(let users) where users.isEmpty: "no user of the configuration may watch this path"
        case .noLogin(let users):
            "the configuration has users, so the playlist needs a login; name a user with --user, such as --user \(users[0])"
        case .noIPv4:
            "VLC of Debian receives over IPv4 only, and the server listens at an IPv6 address; name a host with an IPv4 "
                + "address with --host"
        }
    }
}
