/// A URL that a caller connects to: `srt://HOST:PORT?streamid=…&passphrase=…&latency=…&pbkeylen=…`.
///
/// `latency` is milliseconds, as for VLC, GStreamer and `srt-live-transmit`; ffmpeg counts microseconds. Parameters that are not
/// known are left out. The only mode is that of a caller.
public struct SRTURL: Hashable, Sendable {
    /// A name or a numeric address; IPv6 without brackets.
    public let host: String
    public let port: UInt16
    /// The bytes of the handshake's stream id, decoded once; empty if there is none.
    public let streamID: String
    /// `nil` without encryption.
    public let passphrase: SRTPassphrase?
    /// `nil` for the default.
    public let latencyMilliseconds: Int?
    /// `nil` for the default, or for that of the peer.
    public let keyLength: SRTKeyLength?

    /// Milliseconds that a latency may have: what both ends can buffer.
    public static let latencies = 20...10_000
    static let defaultPort: UInt16 = 8890

    public init(
        host: String, port: UInt16, streamID: String = "", passphrase: SRTPassphrase? = nil,
        latencyMilliseconds: Int? = nil, keyLength: SRTKeyLength? = nil
    ) {
        (self.host, self.port, self.streamID) = (host, port, streamID)
        (self.passphrase, self.latencyMilliseconds, self.keyLength) = (passphrase, latencyMilliseconds, keyLength)
    }

    /// Reads a URL; the port is 8890 if it has none.
    public init(_ text: String) throws(SRTURLError) {
        guard text.hasPrefix(Self.scheme) else { throw .scheme }
        let rest = text.dropFirst(Self.scheme.count)
        let question = rest.firstIndex(of: "?")
        let authority = rest[..<(question ?? rest.endIndex)]
        (host, port) = try Self.endpoint(authority.hasSuffix("/") ? authority.dropLast() : authority)
        let values = try Self.parameters(question.map { rest[rest.index(after: $0)...] } ?? "")
        if let mode = values["mode"], mode != "caller" { throw .unsupportedMode(mode) }
        streamID = values["streamid"] ?? ""
        guard streamID.utf8.count <= SRTStreamID.maximumByteCount else { throw .streamID(.tooLong) }
        if let passphrase = values["passphrase"], !passphrase.isEmpty {
            do throws(SRTPassphraseError) {
                self.passphrase = try SRTPassphrase(passphrase)
            } catch {
                throw .passphrase(error)
            }
        } else {
            passphrase = nil
        }
        latencyMilliseconds = try Self.number(values["latency"], in: Self.latencies, "latency")
        keyLength = try values["pbkeylen"].flatMap { text throws(SRTURLError) -> SRTKeyLength? in
            guard let count = Int(text), count == 0 || SRTKeyLength(rawValue: count) != nil else {
                throw .value("pbkeylen", text)
            }
            return SRTKeyLength(rawValue: count)
        }
    }

    private static let scheme = "srt://"

    private static func endpoint(_ authority: Substring) throws(SRTURLError) -> (String, UInt16) {
        guard !authority.contains("/"), !authority.contains("@") else { throw .authority }
        guard authority.hasPrefix("[") else {
            let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2, let host = parts.first.map(String.init)?.nonEmpty else { throw .authority }
            return (host, try port(parts.count == 2 ? parts[1] : nil))
        }
        guard let end = authority.firstIndex(of: "]") else { throw .authority }
        let host = String(authority[authority.index(after: authority.startIndex)..<end])
        let rest = authority[authority.index(after: end)...]
        guard !host.isEmpty, rest.isEmpty || rest.hasPrefix(":") else { throw .authority }
        return (host, try port(rest.isEmpty ? nil : rest.dropFirst()))
    }

    private static func port(_ text: Substring?) throws(SRTURLError) -> UInt16 {
        guard let text else { return defaultPort }
        guard let port = UInt16(text), port != 0 else { throw .authority }
        return port
    }

    private static func parameters(_ query: Substring) throws(SRTURLError) -> [String: String] {
        var values: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let equals = pair.firstIndex(of: "=") ?? pair.endIndex
            let name = String(pair[..<equals])
            guard let value = pair[equals...].dropFirst().percentDecoded else { throw .value(name, String(pair)) }
            if values[name] == nil { values[name] = value }
        }
        return values
    }

    private static func number(
        _ text: String?, in range: ClosedRange<Int>, _ name: String
    ) throws(SRTURLError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number) else { throw .value(name, text) }
        return number
    }
}

extension SRTURL {
    /// Whether the text of the URL contains a passphrase or a password.
    public var hasSecret: Bool {
        if passphrase != nil { return true }
        guard let id = try? SRTStreamID(parsing: streamID.utf8) else { return false }
        return id.password != nil
    }
}

extension SRTURL: CustomStringConvertible {
    /// Without query, which may contain secrets.
    public var description: String { "srt://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// Why a text is no URL that a caller can connect to.
public enum SRTURLError: Error, Hashable, Sendable, CustomStringConvertible {
    case scheme
    /// Host and port cannot be read, or there is a path or a user.
    case authority
    /// The peer is to be waited for, which only a listener does.
    case unsupportedMode(String)
    case streamID(SRTStreamIDError)
    case passphrase(SRTPassphraseError)
    /// A parameter has an impossible value.
    case value(String, String)

    public var description: String {
        switch self {
        case .scheme: "a URL of SRT begins with srt://"
        case .authority: "a URL of SRT has the form srt://HOST:PORT?streamid=…"
        case .unsupportedMode(let mode): "mode=\(mode) is not supported; only mode=caller is"
        case .streamID(let error): error.description
        case .passphrase(let error): error.description
        case .value(let name, let text): "\(name) cannot be \(text)"
        }
    }
}
