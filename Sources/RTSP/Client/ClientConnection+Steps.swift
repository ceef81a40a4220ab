import Media
import SDP

/// The handling of each response.
extension ClientConnection {
    mutating func receive(_ response: Response, at now: MonotonicTime) {
        // Responses come in the order of the requests. One with another number is a late one from before a TEARDOWN. Some devices
        // send no number.
        guard let pending, CSeq(response.headers)?.number ?? pending.number == pending.number else { return }
        self.pending = nil
        shortestRoundTrip = min(shortestRoundTrip ?? .max, now - pending.sent)
        // The request is repeated with credentials for the new challenge.
        if response.status == .unauthorized, !pending.isRepeated, login?.handleChallenge(in: response) == true {
            return send(pending.method, pending.target, pending.headers, again: true, at: now)
        }
        if phase == .playing { return receiveKeepaliveAnswer(response, at: now) }
        if phase == .tearDown { return close(.finished) }
        if let location = newLocation(in: response) { return close(.moved(pending.method, to: location)) }
        // A server that does not know OPTIONS may still describe.
        guard response.status.isSuccess || phase == .options else {
            return close(refusal(of: pending.method, response))
        }
        switch phase {
        case .options: receiveOptions(response, at: now)
        case .describe: receiveDescription(response)
        case .setUp(let index): receiveSetUp(index, response, at: now)
        case .play: receivePlay(response, at: now)
        case .idle, .choosing, .playing, .tearDown, .closed: break
        }
    }

    /// The URL that a redirection names, without user and password (RFC 2326, section 11.3).
    private func newLocation(in response: Response) -> RequestURL? {
        guard response.status.isRedirection else { return nil }
        return response.headers[.location].flatMap { RequestURL($0) }.flatMap { RequestURL($0.text) }
    }

    private func refusal(of method: Method, _ response: Response) -> ClientCloseReason {
        guard response.status == .unauthorized else {
            return .refused(
                method, response.status, reason: response.reason, retrySeconds: response.retrySeconds)
        }
        guard let login else { return .passwordRequired(method) }
        // Without a supported challenge no credentials were sent, so they are not wrong.
        return login.isChallenged
            ? .wrongPassword(method) : .refused(method, response.status, reason: response.reason)
    }

    private mutating func receiveOptions(_ response: Response, at now: MonotonicTime) {
        if response.headers.list(of: .public).contains(Method.getParameter.rawValue) {
            keepaliveMethod = .getParameter
        }
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
        // Some devices name the session in the first answer only, some name another one in each answer, and some name none. The
        // first name counts.
        session = session ?? response.headers[.session].flatMap { SessionHeader($0) }
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
        scheduleKeepalive(at: now)
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

    private mutating func receiveKeepaliveAnswer(_ response: Response, at now: MonotonicTime) {
        switch response.status {
        case .sessionNotFound: close(.refused(keepaliveMethod, response.status, reason: response.reason))
        case .methodNotAllowed, .notImplemented, .parameterNotUnderstood: keepaliveMethod = .options
        default: break
        }
    }

    mutating func sendSetUp(_ index: Int, at now: MonotonicTime) {
        phase = .setUp(index: index)
        send(.setUp, trackURLs[index], [.transport: tracks[index].transport.headerValue], at: now)
    }

    mutating func sendKeepalive(at now: MonotonicTime) {
        scheduleKeepalive(at: now)
        if pending == nil { send(keepaliveMethod, aggregate, at: now) }
    }

    /// Schedules the next keepalive after half the timeout, so that one may be late in a stalled connection.
    private mutating func scheduleKeepalive(at now: MonotonicTime) {
        let seconds = min(max(session?.timeoutSeconds ?? 60, 2), 3_600)
        keepaliveDue = now.advanced(byMilliseconds: Int64(seconds) * 500)
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

extension Response {
    /// The seconds of `Retry-After` (RFC 2326, section 12.31); `nil` without it, or if it is a date.
    var retrySeconds: Int? { headers[.retryAfter].flatMap { $0.trimmed.decimal(maximumDigits: 9) } }
}
