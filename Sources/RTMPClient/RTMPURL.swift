import Connecting
import RTMP
import RTSP

/// The URL of a stream on an RTMP server: `rtmp://HOST[:PORT]/APP/NAME[?QUERY]`, or `rtmps`, which uses TLS.
///
/// The last element of the path is the name of the stream; services call it the stream key, and it is as secret as a password.
public struct RTMPURL: Hashable, Sendable {
    /// The URL as it is written, without user and password.
    public let text: String
    public let userInformation: UserInformation?
    /// A name or an address; an IPv6 address has brackets.
    public let host: String
    public let port: UInt16
    public let isSecure: Bool
    /// With percent encoding, and with the slash at its beginning.
    public let path: String
    /// Without question mark; empty if there is none.
    private let query: String
    /// Scheme, host and, if it is written, the port.
    private let server: String

    /// `nil` if the text is not a URL of these schemes with a host, a valid port and a path.
    public init?(_ url: String) {
        let scheme = /([Rr][Tt][Mm][Pp][Ss]?):\/\//
        let authority = /(?:([^\/?#]*)@)?(\[[0-9A-Fa-f:.]+\]|[^\/?#:@\[\]]+)(?::([0-9]{1,5}))?/
        let rest = /(\/[^?#]+)(?:\?([^#]*))?/
        guard let start = url.prefixMatch(of: scheme),
            let place = url[start.range.upperBound...].prefixMatch(of: authority),
            let end = url[place.range.upperBound...].wholeMatch(of: rest), end.output.1.contains(where: { $0 != "/" })
        else { return nil }
        isSecure = start.output.1.count == 5
        let usualPort: UInt16 = isSecure ? 443 : 1_935
        let named = place.output.3.map { UInt16($0) ?? 0 }
        port = named ?? usualPort
        guard port > 0 else { return nil }
        (host, path, query) = (String(place.output.2), String(end.output.1), end.output.2.map(String.init) ?? "")
        server = "\(start.output.1)://\(host)" + (named.map { ":\($0)" } ?? "")
        text = "\(server)\(path)" + (query.isEmpty ? "" : "?\(query)")
        userInformation = place.output.1.flatMap { $0.isEmpty ? nil : $0 }.map { text in
            let colon = text.firstIndex(of: ":")
            return UserInformation(
                encodedUser: String(text[..<(colon ?? text.endIndex)]),
                password: colon.map { String(text[text.index(after: $0)...]) } ?? "")
        }
    }

    /// The URL for people, without the query, in which services take passwords.
    public var label: String { "\(server)\(path)" + (query.isEmpty ? "" : "?…") }

    /// The URL for people, also without the name of the stream, if the path has further elements.
    public var labelWithoutName: String {
        var elements = path.split(separator: "/")
        guard elements.count > 1 else { return label }
        elements.removeLast()
        return "\(server)/\(elements.joined(separator: "/"))/…"
    }

    /// Whether it contains a password, or what may be one.
    public var hasPassword: Bool { userInformation?.password.map { !$0.isEmpty } == true || !query.isEmpty }

    /// The stream on its server.
    public func target(_ action: ClientTarget.Action) -> ClientTarget {
        ClientTarget(action, server: server, path: path, query: query)
    }

    /// How to connect to the server.
    public var connection: ConnectionPlan {
        ConnectionPlan(to: host, port: port, isSecure: isSecure, label: labelWithoutName)
    }
}

extension RTMPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { labelWithoutName }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
