import RTSP
import Streams

/// An extended M3U for VLC: a stream's URLs, each with the options that keep VLC's delay low.
public struct VLCPlaylist: Hashable, Sendable {
    public let title: String
    /// The first is played; VLC goes on to the next where one cannot be opened, or ends.
    public let urls: [String]
    /// What VLC holds back before it shows a picture.
    public let cachingMilliseconds: Int

    public init(title: String, urls: [String], cachingMilliseconds: Int) {
        self.title = title
        self.urls = urls
        self.cachingMilliseconds = cachingMilliseconds
    }

    /// The whole file, in UTF-8, each line ended.
    public var text: String {
        let entries = urls.map { url in
            ["#EXTINF:-1,\(titleLine)"] + options.map { "#EXTVLCOPT:\($0)" } + [url]
        }
        return (["#EXTM3U"] + entries.joined()).map { $0 + "\n" }.joined()
    }

    /// What VLC takes from a file that it does not trust. `clock-synchro` is not among it: VLC refuses it there.
    private var options: [String] {
        [
            // The delay of VLC's RTP and live555 accesses, and that of its SAT>IP access.
            "network-caching=\(cachingMilliseconds)",
            "live-caching=\(cachingMilliseconds)",
            // By at most so much does VLC wait longer from then on, once something has come late: 5 s by default.
            "clock-jitter=0",
        ]
    }

    /// The title as `#EXTINF` can say it: VLC takes what stands before a comma, or before a dash between blanks, for an
    /// artist.
    private var titleLine: String {
        String(title.map { $0.isNewline ? " " : $0 }).replacing(",", with: ";").replacing(" - ", with: " – ")
    }
}

extension Configuration {
    /// The playlist with which VLC plays the path `name`: over RTSP from each of `hosts`, then from its group, where
    /// MPEG-TS is always on air there.
    ///
    /// - Parameter login: what clients need, if they do.
    /// - Throws: if there is no such path, or no login although clients need one.
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
        // A group that is on air on request only has nothing to show to who does not ask.
        let group = path.multicastTransportStream == .always ? transportStreamURL(of: name) : nil
        let urls = unicast + (group.map { [$0] } ?? [])
        guard !urls.isEmpty else { throw .noIPv4 }
        return VLCPlaylist(
            title: path.title.isEmpty ? name : path.title, urls: urls, cachingMilliseconds: cachingMilliseconds)
    }
}

extension Configuration {
    /// The users who may watch the path `name`, ascending.
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
            "the configuration has no path /\(printable(name))" + (nearest.map { "; the nearest is /\($0)" } ?? "")
        case .noTLS:
            "VLC as Debian ships it knows no rtsps://, and tls.encryption is strict: other players take the URL of the start"
        case .noLogin(let users) where users.isEmpty: "no user of the configuration may watch this path"
        case .noLogin(let users):
            "the configuration has users, and without one of them the playlist could not log in: name one with --user, "
                + "such as --user \(users[0])"
        case .noIPv4:
            "VLC as Debian ships it receives over IPv4 only, and the server listens at an IPv6 address: "
                + "name a host with an IPv4 address with --host"
        }
    }
}
