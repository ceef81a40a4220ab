import RTP
import SDP

/// An ANNOUNCE that waits for ``ServerConnection/announced(_:_:at:)``.
public struct AnnounceRequest: Hashable, Sendable {
    /// The decoded path with a leading slash and without a trailing one: `/cam`.
    public var path: String
    /// The undecoded query without `?`.
    public var query: String?
    /// The URL as the client wrote it, without user and password.
    public var url: String
    public var description: SessionDescription
    public var userAgent: String?
    /// The user's permissions, which include publishing at the path.
    public var grant: Grant
}

/// A SETUP of a published track that waits for ``ServerConnection/setUp(_:_:at:)``.
public struct PublisherSetUpRequest: Hashable, Sendable {
    public var announcement: AnnounceRequest
    /// The index of the medium in the announced description.
    public var medium: Int
    /// The session to which the track is added; `nil` if this SETUP creates one.
    public var session: SessionID?
    /// The client's transports, best first, never empty. None is multicast.
    public var offers: [TransportOffer]
    /// The key of the client's packets; `nil` if no offer is SRTP.
    public var key: SenderKey?
}

extension AnnounceRequest {
    /// Whether a URL names this stream or one of its tracks.
    func isAddressed(by url: RequestURL) -> Bool {
        url.wholePath == path || url.wholePath.hasPrefix(path == "/" ? path : path + "/")
    }

    /// The URL of a medium.
    func url(ofMedium index: Int) -> String {
        guard let control = description.media[index].control else { return url }
        return control.contains("://") ? control : "\(url)/\(control)"
    }

    /// The index of the medium that the URL of a SETUP names; `nil` if there is none.
    ///
    /// A client may put the control name behind the URL of its ANNOUNCE, even if that ends in a query or a slash (ffmpeg), or behind the
    /// path and before the query (GStreamer, RootEncoder), or it sends the absolute URL of the control attribute. A control name
    /// may also appear as the last part only. A single medium needs no name.
    func medium(at url: RequestURL) -> Int? {
        let controls = description.media.map { $0.control ?? "" }
        if let exact = controls.firstIndex(where: { $0.equalsIgnoringCase(url.text) }) { return exact }
        let parts = [url.wholePath.suffix(behind: path), url.text.suffix(behind: self.url)].compactMap(\.self)
        let last = url.text.pieces(separatedBy: "/").last.map { String($0) }
        for part in parts + [last].compactMap(\.self) where !part.isEmpty {
            if let index = controls.firstIndex(where: { $0.trimmingSlashes == part }) { return index }
        }
        // An absolute control URL of another host or path.
        if let last, let index = controls.firstIndex(where: { $0.lastPart == last }) { return index }
        return controls.count == 1 ? 0 : nil
    }
}

extension String {
    /// What follows `base` and slashes; `nil` if the text does not begin with `base`.
    fileprivate func suffix(behind base: String) -> String? {
        hasPrefix(base) ? String(dropFirst(base.count)).trimmingSlashes : nil
    }

    fileprivate var trimmingSlashes: String {
        let bytes = utf8.drop { $0 == UInt8(ascii: "/") }
        return String(Substring(bytes)).withoutTrailingSlashes
    }

    private var withoutTrailingSlashes: String {
        var rest = Substring(self).utf8
        while rest.last == UInt8(ascii: "/") { rest.removeLast() }
        return String(Substring(rest))
    }

    fileprivate var lastPart: String { trimmingSlashes.pieces(separatedBy: "/").last.map { String($0) } ?? "" }
}
