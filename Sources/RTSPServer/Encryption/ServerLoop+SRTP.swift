import Delivery
import Logging
import Media
import RTP
import RTSP
import Reactor
import SRTP
import Streams

/// SRTP with keys that the client received through TLS.
extension ServerLoop {
    /// Makes keys for a client that describes a stream: a MIKEY message (RFC 3830) for each track. `nil` if SRTP is not offered.
    ///
    /// GStreamer learns only from the description that SRTP is offered, and then uses it with any transport.
    func announceKeys(
        for tracks: [Track], of entry: PathDirectory.Entry, to connection: Connection
    ) -> [String]? {
        guard connection.machine.security == .tls, let offered = options.encryption.tls?.srtp else { return nil }
        let dialect = ClientDialect(userAgent: connection.userAgent)
        let keys = tracks.map { _ in
            AnnouncedKeys.TrackKey(
                key: .random(
                    dialect.supportsGCM ? offered : .counterMode, identifierByteCount: dialect.keyIdentifierByteCount,
                    by: { numbers.next() }),
                ssrc: SSRC(numbers.next()))
        }
        connection.announcedKeys.announce(keys, at: entry.stream.path)
        let now = NTPTime(unixNanoseconds: WallClock.unixNanoseconds()).rawValue
        return keys.map { key in
            MIKEYMessage(
                key.key, ssrc: key.ssrc.rawValue, bundle: numbers.next(), timestamp: now,
                random: (0..<16).map { _ in numbers.next() }
            ).attributeValue
        }
    }

    /// Whether the client has a key of the track that no session uses.
    func hasAnnouncedKey(of track: Track?, at entry: PathDirectory.Entry, on connection: Connection) -> Bool {
        track.map { connection.announcedKeys.key(of: $0.id, at: entry.stream.path) != nil } ?? false
    }

    /// The SRTP protection of a track, and the RTP numbers that it begins with; `nil` if its client has no key.
    func protection(
        of track: Track?, for request: SetUpRequest, _ entry: PathDirectory.Entry, on connection: Connection,
        at now: MonotonicTime
    ) -> (protection: TrackProtection, rewriter: HeaderRewriter)? {
        guard let track, let announced = connection.announcedKeys.key(of: track.id, at: entry.stream.path) else {
            return nil
        }
        do throws(SRTPFailure) {
            let protection = try TrackProtection(
                own: announced.key, ssrc: announced.ssrc.rawValue, peer: request.clientKey ?? announced.key)
            let rewriter = HeaderRewriter.random(
                payloadTypeOf: track.id, extensions: entry.options.headerExtensions,
                ssrc: announced.ssrc, using: &numbers)
            return (protection, rewriter)
        } catch {
            logger.log(
                .warning, "SRTP setup failed", metadata: ["peer": "\(connection.peer)", "reason": "\(error)"],
                within: &logs.failedHandshakes, at: now)
            return nil
        }
    }

    /// Handles RTCP of a viewer over UDP; false if its authentication fails.
    func received(
        datagram: RawSpan, from source: SocketAddress, for session: ViewerSession, on connection: Connection,
        at now: MonotonicTime
    ) -> Bool {
        guard session.isProtected else {
            received(datagram, from: session, on: connection, at: now)
            return true
        }
        let track = session.viewer.tracks.lazy.compactMap(\.self).first { $0.acceptsReports(from: source) }
        guard let report = track?.protection?.incoming.opened(report: datagram) else { return false }
        received(report.span.bytes, from: session, on: connection, at: now)
        return true
    }

    /// Handles RTCP of a viewer, interleaved.
    func received(
        interleaved bytes: [UInt8], on channel: UInt8, for session: ViewerSession, on connection: Connection,
        at now: MonotonicTime
    ) {
        guard session.isProtected else { return received(bytes.span.bytes, from: session, on: connection, at: now) }
        let track = session.viewer.tracks.lazy.compactMap(\.self).first { $0.acceptsReports(onChannel: channel) }
        // One track of a session may be protected, and another not.
        guard let protection = track?.protection else {
            return received(bytes.span.bytes, from: session, on: connection, at: now)
        }
        if let report = protection.incoming.opened(report: bytes.span.bytes) {
            received(report.span.bytes, from: session, on: connection, at: now)
        }
    }
}
