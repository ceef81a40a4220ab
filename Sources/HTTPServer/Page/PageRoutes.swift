import HTTP
import Page

extension Route {
    /// The web page: the grid of all streams, the player of each stream, and their files.
    ///
    /// - Parameter frameAncestors: the pages that may show this one in a frame.
    public static func page(framedBy frameAncestors: [Origin]) -> [Self] {
        let policy = PagePolicy(frameAncestors: frameAncestors)
        let answer: @Sendable (String, Request, Exchange) -> Void = { name, request, exchange in
            guard let file = PageFile.all[name] else {
                return exchange.refuse(Problem(.notFound, "the page has no such file"))
            }
            exchange.respond(Response(file, to: request, under: policy))
        }
        return [
            Route(.path("/"), for: .page) { request, exchange in
                answer(request.target.query["player"] == nil ? "index.html" : "player.html", request, exchange)
            },
            Route(.stream(""), for: .page) { answer("player.html", $0, $1) },
            Route(.folder(folder), for: .everyone) { request, exchange in
                answer(String(request.target.path.dropFirst(folder.count)), request, exchange)
            },
        ]
    }

    /// The files of the page refer to each other by this folder.
    private static let folder = "/page/"
}

/// What browsers allow the page to do (Content Security Policy, level 3).
struct PagePolicy {
    let text: String

    /// Only files of this server are loaded and run, and no script or style in a document. Media and images may also be made by
    /// the page itself (`blob:`).
    init(frameAncestors: [Origin]) {
        let ancestors = frameAncestors.isEmpty ? "'none'" : frameAncestors.map(\.description).joined(separator: " ")
        text =
            "default-src 'self'; media-src 'self' blob:; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; "
            + "form-action 'self'; frame-ancestors \(ancestors)"
    }
}

extension Response {
    /// A file of the page, or 304 if the client has it already.
    fileprivate init(_ file: PageFile, to request: Request, under policy: PagePolicy) {
        let tag = file.entityTag
        let headers = [
            ("Content-Type", file.contentType), ("Content-Security-Policy", policy.text), ("ETag", tag),
            // A browser asks each time, so that it never shows an old page with a new server.
            ("Cache-Control", "no-cache"),
        ]
        if request.knows(tag) {
            self.init(.notModified, headers: headers)
        } else {
            self.init(headers: headers, body: file.bytes)
        }
    }
}
