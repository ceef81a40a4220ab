import ArgumentParser
import FoundationEssentials
import Measuring
import RTSP
import Server

extension StreamOptions {
    /// The stream over HTTP or a WebSocket, if the URL is one of these.
    ///
    /// - Throws: `ValidationError` for a URL of HTTP that cannot be used; another error if a password is needed, but OpenSSL is not
    ///   available.
    func overHTTP() throws -> HTTPStream? {
        let scheme = text.split(separator: ":").first?.lowercased() ?? ""
        switch scheme {
        case "http", "ws": break
        case "https", "wss":
            throw ValidationError("\(scheme):// is not supported here; measure the http:// port of the same server")
        default: return nil
        }
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty else {
            throw ValidationError(
                "\(UserInformation.removed(from: text)) is not a URL, such as http://192.168.1.20:8888/cam/index.mp4")
        }
        let authority = host + (url.port.map { ":\($0)" } ?? "")
        let target =
            (url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath)
            + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
        var stream = HTTPStream(
            url: "\(scheme)://\(authority)\(target)", host: host.filter { $0 != "[" && $0 != "]" },
            port: url.port ?? 80, target: target)
        if scheme == "ws" {
            stream.format = .webSocket
        } else if url.percentEncodedPath.hasSuffix(".m3u8") {
            stream.format = .hls(.lowLatency)
        }
        if let user = url.user {
            stream.login = ClientLogin(
                user: user, secret: .password(url.password ?? ""), hashes: try .openSSL(), random: ClientLogin.random)
        }
        return stream
    }
}
