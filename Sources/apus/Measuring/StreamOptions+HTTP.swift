import ArgumentParser
import FoundationEssentials
import Measuring
import RTSP
import Server
import TLS
import WebRTCClient

extension StreamOptions {
    /// The stream over HTTP or a WebSocket, if the URL is one of these, and not one of WHEP.
    ///
    /// - Throws: `ValidationError` for a URL of HTTP that cannot be used; another error if a password is needed, but OpenSSL is not
    ///   available.
    func overHTTP() throws -> HTTPStream? {
        guard !namesWHEP, let url = try webURL() else { return nil }
        guard url.scheme == "http" || url.scheme == "ws" else {
            throw ValidationError(
                "\(url.scheme):// is not supported here; measure the http:// port of the same server")
        }
        var stream = HTTPStream(url: url.text, host: url.host, port: url.port ?? 80, target: url.target)
        if url.scheme == "ws" {
            stream.format = .webSocket
        } else if url.path.hasSuffix(".m3u8") {
            stream.format = .hls(.lowLatency)
        }
        stream.login = try url.login()
        return stream
    }

    /// Whether the scheme is that of HTTP.
    var isHTTP: Bool { ["http", "https"].contains(WebURL.scheme(of: text)) }

    /// Whether the URL is that of a WHEP endpoint, by its path: `/cam/whep`, or `/api/webrtc?src=cam` of go2rtc.
    var namesWHEP: Bool {
        guard isHTTP, let url = WebURL(text) else { return false }
        let folders = url.path.split(separator: "/").map { $0.lowercased() }
        return folders.contains("whep") || folders == ["api", "webrtc"]
    }

    /// Checks the URL of a WHEP endpoint, and the options.
    func validateWHEP() throws {
        guard let url = try webURL(), url.port.map({ UInt16(exactly: $0) != nil }) ?? true else { throw malformed }
        guard transport == nil else { throw ValidationError("--transport is for rtsp://; WHEP is over UDP") }
    }

    /// The stream of a WHEP server. Blocks while it looks up the host's name.
    ///
    /// - Throws: `ValidationError` for wrong options, and other errors that prevent a session.
    func playback(userAgent: String) throws -> PlaybackPlan {
        try validateWHEP()
        guard let url = try webURL() else { throw malformed }
        let endpoint = HTTPAddress(
            isSecure: url.scheme == "https", host: url.host, port: url.port.flatMap { UInt16(exactly: $0) },
            target: url.target)
        var plan = try PlaybackPlan(endpoint, accepting: security.insecure ? .any : .verified)
        plan.userAgent = userAgent
        plan.login = try url.login()
        return plan
    }

    private var malformed: ValidationError {
        ValidationError(
            "\(UserInformation.removed(from: text)) is not a URL, such as http://192.168.1.20:8888/cam/whep")
    }

    /// `nil` if the scheme is not that of HTTP or a WebSocket.
    private func webURL() throws -> WebURL? {
        guard ["http", "https", "ws", "wss"].contains(WebURL.scheme(of: text)) else { return nil }
        guard let url = WebURL(text) else { throw malformed }
        return url
    }
}

/// A URL of HTTP or of a WebSocket, taken apart.
private struct WebURL {
    /// In lower case.
    let scheme: String
    /// An IPv6 address without brackets.
    let host: String
    let port: Int?
    /// Still encoded.
    let path: String
    /// Path and query, still encoded.
    let target: String
    /// The URL without user and password.
    let text: String
    private let user: String?
    private let password: String?

    static func scheme(of text: String) -> String { text.split(separator: ":").first?.lowercased() ?? "" }

    init?(_ text: String) {
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty else { return nil }
        scheme = Self.scheme(of: text)
        self.host = host.filter { $0 != "[" && $0 != "]" }
        port = url.port
        path = url.percentEncodedPath
        target = (path.isEmpty ? "/" : path) + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
        self.text = "\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")\(target)"
        (user, password) = (url.user, url.password)
    }

    /// The credentials; `nil` without a user.
    func login() throws -> ClientLogin? {
        guard let user else { return nil }
        return ClientLogin(
            user: user, secret: .password(password ?? ""), hashes: try .openSSL(), random: ClientLogin.random)
    }
}
