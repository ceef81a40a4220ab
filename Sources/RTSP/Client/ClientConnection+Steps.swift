import Media
import SDP

/// The handling of each response.
extension ClientConnection {
    mutating func receive(_ response: Response, at now: MonotonicTime) {
        switch requests.received(response, at: now) {
        case .ignored: break
        case .repeated(let bytes): act(.send(bytes))
        case .answered(let request): receive(response, to: request.method, at: now)
        }
    }

    private mutating func receive(_ response: Response, to method: Method, at now: MonotonicTime) {
        if phase == .playing { return receiveKeepaliveAnswer(response) }
        if phase == .tearDown { return close(.finished) }
        // A server that does not know OPTIONS may still describe.
        guard response.status.isSuccess || phase == .options && response.newLocation == nil else {
            return close(requests.reason(toCloseAfter: response, to: method))
        }
        switch phase {
        case .options: receiveOptions(response, at: now)
        case .describe: receiveDescription(response)
        case .setUp(let index): receiveSetUp(index, response, at: now)
        case .play: receivePlay(response, at: now)
        case .idle, .choosing, .playing, .tearDown, .closed: break
        }
    }

    private mutating func receiveOptions(_ response: Response, at now: MonotonicTime) {
        keepalive.choose(by: response)
        phase = .describe
        send(.describe, base, [.accept: "application/sdp"], at: now)
    }

    private mutating func receiveDescription(_ response: Response) {
        do throws(SessionDescription.ParseError) {
            let description = try SessionDescription(parsing: response.body)
            // RFC 2326, C.1.1: Content-Base, then Content-Location, then the request's URL, which also replaces an invalid base.
            // Some cameras send one without a scheme: `192.168.1.10:554/stream0/`.
            let bases = [.contentBase, .contentLocation].compactMap { response.headers[$0] }
            base = bases.first { RequestURL($0) != nil } ?? base
            aggregate = resolve(description.attributes.value(of: "control"))
            media = description.media
            phase = .choosing
            act(.described(description))
        } catch {
            close(.badDescription(error))
        }
    }

    private mutating func receiveSetUp(_ index: Int, _ response: Response, at now: MonotonicTime) {
        guard let transport = response.headers[.transport].flatMap({ Transport.list($0).first }) else {
            return close(.unusableAnswer(.setUp, "no transport"))
        }
        requests.keepSession(of: response)
        act(.setUp(index: index, transport))
        if tracks.indices.contains(index + 1) {
            sendSetUp(index + 1, at: now)
        } else {
            phase = .play
            send(.play, aggregate, [.range: "npt=0.000-"], at: now)
        }
    }

    private mutating func receivePlay(_ response: Response, at now: MonotonicTime) {
        phase = .playing
        keepalive.schedule(for: requests.session, at: now)
        let entries = response.headers.values(of: .rtpInfo).flatMap { RTPInfo($0).entries }
        act(.playing(starts: trackURLs.indices.map { start(ofTrack: $0, in: entries) }))
    }

    /// The RTP-Info entry of a track: by its URL, by the URL's end if the server leaves out the rest, or by its position.
    private func start(ofTrack index: Int, in entries: [RTPInfo.Entry]) -> RTPInfo.Entry? {
        let url = trackURLs[index]
        if let same = entries.first(where: { $0.url == url }) { return same }
        if let same = entries.first(where: { !$0.url.isEmpty && url.hasSuffix("/" + $0.url) }) { return same }
        return entries.count == trackURLs.count ? entries[index] : nil
    }

    private mutating func receiveKeepaliveAnswer(_ response: Response) {
        guard !keepalive.received(response) else { return }
        close(requests.reason(toCloseAfter: response, to: keepalive.method))
    }

    mutating func sendSetUp(_ index: Int, at now: MonotonicTime) {
        phase = .setUp(index: index)
        send(.setUp, trackURLs[index], [.transport: tracks[index].transport.headerValue], at: now)
    }

    mutating func sendKeepalive(at now: MonotonicTime) {
        keepalive.schedule(for: requests.session, at: now)
        if requests.pending == nil { send(keepalive.method, aggregate, at: now) }
    }

    /// Resolves a control attribute (RFC 2326, C.1.1): an absolute URL, `*` for the whole stream, or relative to the base.
    ///
    /// A relative one is appended, even after a query, as ffmpeg and live555 do, and not resolved by RFC 3986.
    func resolve(_ control: String?) -> String {
        guard let control, control != "*", !control.isEmpty else { return base }
        if RequestURL(control) != nil { return control }
        return base.hasSuffix("/") ? base + control : base + "/" + control
    }
}
