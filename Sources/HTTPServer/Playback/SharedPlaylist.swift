import NIOCore

/// A playlist as it is sent: written, and compressed, once for all clients that wait for it. Confined to the event loop.
final class SharedPlaylist {
    private let text: ByteBuffer
    /// Most players accept gzip: a playlist of 3 KB has 500 bytes then.
    private lazy var compressed = text.gzipped
    /// Names this state of the playlist.
    private let entityTag: String

    init(_ text: String, entityTag: String) {
        self.text = ByteBuffer(string: text)
        self.entityTag = entityTag
    }

    static let mediaType = "application/vnd.apple.mpegurl"

    /// - Parameter maximumAge: how long caches may keep it, in seconds; `nil` if they are to ask each time.
    func response(to request: Request, maximumAge: Int?) -> Response {
        var response = Response(headers: [
            ("Content-Type", Self.mediaType), ("ETag", "W/\"\(entityTag)\""), ("Vary", "Accept-Encoding"),
            ("Cache-Control", maximumAge.map { "max-age=\($0)" } ?? "no-cache"),
        ])
        if request.knows("\"\(entityTag)\"") {
            response.status = .notModified
        } else if request.acceptsGzip, let compressed {
            response.headers.append(("Content-Encoding", "gzip"))
            response.shared = compressed
        } else {
            response.shared = text
        }
        return response
    }
}
