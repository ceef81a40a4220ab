import HTTP
import RTSP

/// A resource of the server: where it is, who may use it, and what answers.
public struct Route: Sendable {
    /// Which paths a route has.
    public enum Place: Hashable, Sendable {
        /// One path.
        case path(String)
        /// The path of a stream, a slash, and this last part; for the stream at `/`, a slash and the last part.
        case stream(String)
        /// The path of a stream with this ending, such as `.jpg`; for the stream at `/`, `/index` with it.
        case streamEnding(String)
        /// The path of a stream, a part that begins with `~` and names a player, and a last part.
        case playback
        /// All paths that begin with this, which ends with a slash.
        case folder(String)
    }

    /// What a request needs.
    public enum Access: Hashable, Sendable {
        /// An address that may connect.
        case everyone
        /// What a web page needs: without TLS, the right to read, so that the browser asks for the password; inside TLS nothing,
        /// because the page asks for it.
        case page
        /// The right to the server as a whole that the query names; nothing, if it names none.
        case query
        /// A right to the server as a whole.
        case server(Right)
        /// A right to the stream that the path names.
        case stream(Right)
        /// What a session of HLS needs: its label in the path, or the right to read the stream.
        case playback
        /// A right to the stream that the query names by `path`; without it, to the server as a whole.
        case named(Right)
        /// A right to the stream that the query names by `src`, as go2rtc does: `cam` for `/cam`.
        case source(Right)
        /// The right to read the stream that the query names by `src`, or to publish the one that it names by `dst`, as go2rtc does.
        case sourceOrDestination
    }

    /// Answers a request, by one call of ``Exchange/respond(_:)``. It is called on the event loop of the connection, so it must not
    /// block; the response may come later, and from any thread.
    public typealias Answer = @Sendable (Request, Exchange) -> Void

    let place: Place
    let methods: [Request.Method]
    let access: Access
    /// The parameters that the query may have; `nil` if others are ignored.
    let parameters: [String]?
    /// The types of the bodies that it takes by these methods, which OPTIONS tells.
    let acceptedTypes: [Request.Method: String]
    let answer: Answer
    /// Whether it becomes a WebSocket. A page of another server may not open it, although the request changes nothing.
    let isWebSocket: Bool

    /// - Parameters:
    ///   - methods: with `get`, it also answers HEAD.
    ///   - parameters: those that the query may have. A request with another one is refused, because a mistyped filter would return
    ///     everything. `nil` if others are ignored, as players and pages add some.
    ///   - acceptedTypes: the types of the bodies that it takes by POST and PATCH, which OPTIONS tells.
    public init(
        _ place: Place, _ methods: [Request.Method] = [.get], for access: Access, parameters: [String]? = nil,
        accepting acceptedTypes: [Request.Method: String] = [:], _ answer: @escaping Answer
    ) {
        (self.place, self.access, self.parameters, self.answer) = (place, access, parameters, answer)
        self.acceptedTypes = acceptedTypes
        self.methods = methods + (methods.contains(.get) ? [.head] : [])
        isWebSocket = false
    }

    /// A WebSocket. It answers by ``Exchange/openSocket(_:)``.
    init(webSocket place: Place, for access: Access, _ answer: @escaping Answer) {
        (self.place, self.access, parameters, self.answer) = (place, access, nil, answer)
        (methods, acceptedTypes) = ([.get], [:])
        isWebSocket = true
    }

    /// Refuses a query with a parameter that the route does not have.
    func checkParameters(_ query: Query) throws(Problem) {
        guard let parameters, let name = query.names(except: parameters).first else { return }
        let list = parameters.isEmpty ? "none" : parameters.joined(separator: ", ")
        throw Problem(.badRequest, "there is no parameter \(name); this resource has \(list)")
    }
}

/// The routes of the server.
struct Router: Sendable {
    private let routes: [Route]
    /// Where in `routes` those with this path, with this last part, and all others are.
    private var byPath: [String: [Int]] = [:]
    private var byLastPart: [String: [Int]] = [:]
    private var others: [Int] = []

    init(routes: [Route]) {
        self.routes = routes
        for (index, route) in routes.enumerated() {
            switch route.place {
            case .path(let path): byPath[path, default: []].append(index)
            case .stream(let end): byLastPart[end, default: []].append(index)
            case .streamEnding, .playback, .folder: others.append(index)
            }
        }
    }

    /// What was found at a path.
    enum Match {
        case route(Route, streamPath: String?)
        /// There are routes, but with other methods.
        case methods(Allowed)
        case nothing
    }

    /// What the routes of a path take.
    struct Allowed {
        var methods: [Request.Method] = []
        var acceptedTypes: [Request.Method: String] = [:]

        /// The headers that tell it: `Allow`, `Accept-Post` and `Accept-Patch` (RFC 5789, section 3.1).
        var headers: [(name: String, value: String)] {
            var headers = [(name: "Allow", value: methodList)]
            for (method, name) in [(Request.Method.post, "Accept-Post"), (.patch, "Accept-Patch")] {
                if let type = acceptedTypes[method] { headers.append((name, type)) }
            }
            return headers
        }

        var methodList: String { methods.map(\.rawValue).joined(separator: ", ") }
    }

    /// Finds the route of a request: the first that has the path and the method. A HEAD request has the route of GET.
    func match(_ path: String, _ method: Request.Method?) -> Match {
        let lastPart = path.utf8.suffix(while: { $0 != UInt8(ascii: "/") })
        let fixed = byPath[path, default: []] + byLastPart[String(Substring(lastPart)), default: []]
        var allowed = Allowed()
        for index in fixed.isEmpty ? others : (fixed + others).sorted() {
            let route = routes[index]
            guard let streamPath = Self.streamPath(of: path, at: route.place) else { continue }
            if let method, route.methods.contains(method) {
                return .route(route, streamPath: streamPath.isEmpty ? nil : streamPath)
            }
            allowed.methods += route.methods
            allowed.acceptedTypes.merge(route.acceptedTypes) { first, _ in first }
        }
        return allowed.methods.isEmpty ? .nothing : .methods(allowed)
    }

    /// The path of the stream; empty if the place names none, and `nil` if the path is elsewhere.
    private static func streamPath(of path: String, at place: Route.Place) -> String? {
        switch place {
        case .path(let own): return path == own ? "" : nil
        case .stream(let end):
            if !end.isEmpty, path == "/" + end { return "/" }
            guard path.utf8.count > end.utf8.count + 2, path.utf8.ends(with: "/" + end) else { return nil }
            return String(Substring(path.utf8.dropLast(end.utf8.count + 1)))
        case .streamEnding(let end):
            if path == "/index" + end { return "/" }
            guard path.utf8.count > end.utf8.count + 1, path.utf8.ends(with: end) else { return nil }
            return String(Substring(path.utf8.dropLast(end.utf8.count)))
        case .playback: return PlaybackAddress(path)?.streamPath
        case .folder(let start): return path.hasPrefix(start) ? "" : nil
        }
    }
}

extension String.UTF8View {
    fileprivate func ends(with end: String) -> Bool { suffix(end.utf8.count).elementsEqual(end.utf8) }

    /// The bytes at the end that fulfil a condition.
    fileprivate func suffix(while fulfils: (UInt8) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, fulfils(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}
