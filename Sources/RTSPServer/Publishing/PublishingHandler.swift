import Delivery
import Media
import RTP
import RTSP
import Reactor
import SDP
import SRTP
import Streams

/// Serves the publishers of a loop: answers ANNOUNCE, SETUP and RECORD, and takes their media. Loop thread only.
final class PublishingHandler {
    private let place: LoopPlace
    private let context: ServerContext
    private let endings: Mailbox<PublicationEnding>
    private let created: Mailbox<CreatedPath>
    private let log: ServiceLog
    private let addresses: PublisherAddresses
    private var recording: [SessionID: (session: PublisherSession, connection: Connection)] = [:]
    private var deadlines = DeadlineQueue<SessionID>()
    private var numbers = SystemRandomNumberGenerator()

    init(_ place: LoopPlace, _ context: ServerContext, _ mailboxes: LoopMailboxes, log: ServiceLog) {
        (self.place, self.context, self.log) = (place, context, log)
        (endings, created) = (mailboxes.publicationEndings, mailboxes.createdPaths)
        addresses = PublisherAddresses(context.registry)
    }

    // MARK: Requests

    /// Answers an ANNOUNCE at once, or when the path has been created (``takeCreated()``).
    ///
    /// - Parameter respond: is given the answer, unless the path must be created first.
    func announce(
        _ request: AnnounceRequest, _ id: RequestID, on connection: Connection, at now: MonotonicTime,
        _ respond: (Result<AnnounceAnswer, Refusal>) -> Void
    ) {
        if context.directory.entry(at: request.path) == nil {
            let (created, token) = (created, connection.token)
            let missing = PathDirectory.MissingPath(path: request.path, publisher: publisher(request, connection))
            let isCreating = context.directory.create(missing) { refusal in
                created.put(CreatedPath(connection: token, id: id, request: request, refusal: refusal))
            }
            if isCreating { return }
        }
        respond(answer(to: request, on: connection, at: now))
    }

    /// Takes the ANNOUNCE requests for which a path has been created or refused.
    func takeCreated() -> [CreatedPath] { created.take() }

    /// The answer to the ANNOUNCE for which a path has been created or refused.
    func answer(
        to path: CreatedPath, on connection: Connection, at now: MonotonicTime
    ) -> Result<AnnounceAnswer, Refusal> {
        guard let refusal = path.refusal else { return answer(to: path.request, on: connection, at: now) }
        log.publishingRefused(at: path.request.path, refusal, to: connection, at: now)
        return .failure(refusal)
    }

    private func answer(
        to request: AnnounceRequest, on connection: Connection, at now: MonotonicTime
    ) -> Result<AnnounceAnswer, Refusal> {
        do throws(Refusal) {
            let point = try point(of: request, on: connection, at: now)
            try request.description.requireSupportedCodecs()
            let keys = try connection.machine.senderKeys(of: request)
            try request.description.requireFormats(of: point.stream.promisedTracks ?? [])
            if let refusal = point.refusal(of: publisher(request, connection)) { throw Refusal(refusal) }
            return .success(AnnounceAnswer(keys: reportKeys(for: keys, request, on: connection)))
        } catch {
            log.publishingRefused(at: request.path, error, to: connection, at: now)
            return .failure(error)
        }
    }

    /// Makes the keys of our reports on the media that use SRTP.
    private func reportKeys(
        for senderKeys: [Int: SenderKey?], _ request: AnnounceRequest, on connection: Connection
    ) -> [Int: MIKEYMessage] {
        var keys = ReportKeys(
            source: SSRC(numbers.next()),
            dialect: ClientDialect(userAgent: request.userAgent ?? connection.client.userAgent))
        var messages: [Int: MIKEYMessage] = [:]
        for (medium, key) in senderKeys {
            messages[medium] = keys.key(ofMedium: medium, key?.key.suite, using: &numbers).message
        }
        connection.reportKeys = keys
        return messages
    }

    private func point(
        of request: AnnounceRequest, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> PublishingPoint {
        guard let entry = context.directory.entry(at: request.path), entry.stream.path == request.path else {
            throw .unknownPath(request.path, among: context.directory, for: request.grant)
        }
        guard let point = entry.publishing else {
            throw Refusal(.forbidden, reason: "Forbidden: \(request.path) has a source of its own")
        }
        return point
    }

    private func publisher(_ request: AnnounceRequest, _ connection: Connection) -> PublishingPoint.Publisher {
        PublishingPoint.Publisher(
            user: request.grant.user, peer: connection.peer,
            userAgent: request.userAgent ?? connection.client.userAgent)
    }

    /// Sets up a track.
    func setUp(
        _ request: PublisherSetUpRequest, on connection: Connection, at now: MonotonicTime
    ) -> Result<SetUpAnswer, Refusal> {
        do throws(Refusal) {
            let session: PublisherSession
            if let existing = connection.publisher {
                session = existing
            } else {
                session = try newSession(for: request.announcement, on: connection, at: now)
            }
            for offer in request.offers {
                guard let answer = setUp(offer, request, in: session, on: connection, at: now) else { continue }
                connection.publisher = session
                return .success(answer)
            }
            throw Refusal(
                .unsupportedTransport, reason: "Unsupported Transport: none of the offered transports is available")
        } catch {
            return .failure(error)
        }
    }

    private func newSession(
        for announcement: AnnounceRequest, on connection: Connection, at now: MonotonicTime
    ) throws(Refusal) -> PublisherSession {
        PublisherSession(
            SessionID(random: numbers.next(), numbers.next()), announcement,
            at: try point(of: announcement, on: connection, at: now),
            reportSource: connection.reportKeys?.source ?? SSRC(numbers.next()), canonicalName: context.canonicalName)
    }

    /// Sets up a transport; `nil` if that is impossible.
    private func setUp(
        _ offer: TransportOffer, _ request: PublisherSetUpRequest, in session: PublisherSession,
        on connection: Connection, at now: MonotonicTime
    ) -> SetUpAnswer? {
        var protection: ReceptionProtection?
        var reportKey: ReportKeys.ReportKey?
        if offer.profile.isSecure {
            guard let key = request.key,
                let made = connection.reportKeys?.key(ofMedium: request.medium, key.key.suite, using: &numbers)
            else { return nil }
            do throws(SRTPFailure) {
                (protection, reportKey) = (try ReceptionProtection(peer: key, own: made.key), made)
            } catch {
                log.protectionFailed(error, for: connection, at: now)
                return nil
            }
        }
        guard let (route, answer) = route(of: offer, on: connection) else { return nil }
        session.setUp(
            PublisherTrack(
                request.medium, of: session.announcement.description, route: route, protection: protection))
        if case .udp(let route) = route {
            addresses.add(
                [route.destination, route.reportDestination], to: session, track: session.tracks.count - 1)
        }
        return SetUpAnswer(answer, freshSession: session.id, key: reportKey?.message)
    }

    /// The route of a track's packets, whose addresses are reserved, and what the client is told; `nil` if it is impossible.
    private func route(
        of offer: TransportOffer, on connection: Connection
    ) -> (PublisherTrack.Route, TransportAnswer)? {
        switch offer {
        case .multicast: return nil
        case .interleaved(let channels, let profile):
            return (.interleaved(channels), .interleaved(channels, ssrc: nil, profile: profile))
        case .udp(let client, let profile):
            // IPv6 sockets serve both families. If the host has no IPv6, IPv4 sockets cannot reach an IPv6 client.
            guard connection.peer.family == .ipv4 || place.ports.pair.rtp.family == .ipv6 else { return nil }
            let destinations = [connection.peer.with(port: client.rtp), connection.peer.with(port: client.rtcp)]
            guard addresses.reserve(destinations) else { return nil }
            let source = destinations[0].family == connection.local.family ? connection.local : nil
            let route = UDPRoute(
                destination: destinations[0], reportDestination: destinations[1], source: source, ports: place.ports)
            let server = RTSP.PortPair(rtp: place.ports.pair.port)
            return (.udp(route), .udp(clientPorts: client, serverPorts: server, ssrc: nil, profile: profile))
        }
    }

    /// Begins the publication, or continues it after a PAUSE.
    ///
    /// - Returns: why that is impossible; `nil` if it is possible.
    func record(_ session: PublisherSession, on connection: Connection, at now: MonotonicTime) -> Refusal? {
        guard session.publication == nil else {
            session.resume(at: now)
            schedule(session)
            return nil
        }
        guard let media = session.receivedMedia else {
            return Refusal(.methodNotValidInThisState, reason: "No Track With A Supported Codec Is Set Up")
        }
        let publication = publication(of: session, on: connection)
        do throws(PublishingPoint.Refusal) {
            try session.point.begin(publication)
        } catch {
            let refusal = Refusal(error)
            log.publishingRefused(at: session.announcement.path, refusal, to: connection, at: now)
            return refusal
        }
        session.begin(publication, receiving: media, at: now)
        recording[session.id] = (session, connection)
        schedule(session)
        log.publishes(session, connection, at: now)
        let stream = session.point.stream
        stream.events?.publish(stream.path) { .publisherJoined(publication.eventClient) }
        return nil
    }

    private func publication(of session: PublisherSession, on connection: Connection) -> Publication {
        let description = session.announcement.description
        let (endings, token, id) = (endings, connection.token, session.id)
        return Publication(
            publisher(session.announcement, connection),
            over: session.transportName(insideTLS: connection.machine.security == .tls),
            PublishedTexts(title: description.name, information: description.information), at: session.point
        ) { end in
            endings.put(PublicationEnding(connection: token, session: id, withdrawal: Withdrawal(end)))
        }
    }

    /// Ends a session, and releases what it holds.
    func end(_ session: PublisherSession, of connection: Connection, because reason: String, at now: MonotonicTime) {
        connection.publisher = nil
        addresses.remove(session)
        deadlines.remove(session.id)
        recording[session.id] = nil
        guard let publication = session.publication else { return }
        session.point.ended(publication, because: reason)
        log.publishedUntilNow(session, connection, because: reason, at: now)
        let stream = session.point.stream
        stream.events?.publish(stream.path) { .publisherLeft(publication.eventClient, reason: reason) }
    }

    /// The publications that other threads have ended: a connection and its session each.
    func takeEndings() -> [PublicationEnding] { endings.take() }

    // MARK: Media

    /// A datagram has come; false if it belongs to no publisher.
    func received(_ datagram: RawSpan, from source: SocketAddress, on port: UDPPort, at now: MonotonicTime) -> Bool {
        guard let place = addresses.place(of: source) ?? latched(datagram, from: source, on: port) else { return false }
        if place.session.received(datagram, on: place.track, at: now) { place.session.latch(place.track, port) }
        scheduleIfEarlier(place.session)
        return true
    }

    private func latched(_ datagram: RawSpan, from source: SocketAddress, on port: UDPPort) -> PublisherAddresses.Place?
    {
        port == .rtp ? addresses.latch(source, by: datagram) : nil
    }

    /// A packet has come on an interleaved channel.
    func receivedInterleaved(
        _ bytes: ArraySlice<UInt8>, on channel: UInt8, of session: PublisherSession, at now: MonotonicTime
    ) {
        let track = session.tracks.firstIndex {
            if case .interleaved(let pair) = $0.route { pair.rtp == channel || pair.rtcp == channel } else { false }
        }
        guard let track else { return }
        session.received(bytes.span.bytes, on: track, at: now)
        scheduleIfEarlier(session)
    }

    // MARK: Deadlines

    /// Sends the receiver reports that are due, and ends the publications of silent publishers.
    ///
    /// - Parameter end: ends the publication of a session, for a reason.
    /// - Returns: when to call this again.
    func passDeadlines(at now: MonotonicTime, _ end: (Connection, SessionID, Withdrawal) -> Void) -> MonotonicTime {
        while let id = deadlines.popDue(at: now) {
            guard let (session, connection) = recording[id] else { continue }
            let failureCount = session.takeNewFailureCount()
            if failureCount > 0 { log.packetsFailedAuthentication(failureCount, of: session, connection, at: now) }
            let roundTrip = connection.output.roundTrip
            let withdrawal = session.deadlinePassed(at: now, roundTrip: roundTrip) { report, track in
                send(report, of: track, on: connection)
            }
            if let withdrawal {
                end(connection, id, withdrawal)
            } else {
                schedule(session)
            }
        }
        return deadlines.next
    }

    private func send(_ plain: [UInt8], of track: PublisherTrack, on connection: Connection) {
        var report = plain
        if let protection = track.protection {
            // A key protects 2³¹ reports, so none is left out.
            guard let sealed = protection.outgoing.sealed(plain) else { return }
            report = sealed
        }
        switch track.route {
        case .udp(let route): place.ports.sendReport(report, over: route)
        case .interleaved(let channels): connection.output.append(report: report, on: channels.rtcp)
        }
    }

    private func schedule(_ session: PublisherSession) {
        deadlines.set(session.id, session.nextDeadline)
    }

    /// Media moves the deadline for silence on with every packet, so only an earlier deadline changes the queue.
    private func scheduleIfEarlier(_ session: PublisherSession) {
        let deadline = session.nextDeadline
        if let scheduled = deadlines.deadline(of: session.id), deadline < scheduled { schedule(session) }
    }
}

/// The result of creating a path for an ANNOUNCE.
struct CreatedPath: Sendable {
    let connection: Token
    let id: RequestID
    let request: AnnounceRequest
    /// Why it could not be created; `nil` if it was.
    let refusal: Refusal?
}

extension SessionDescription {
    /// Checks the codecs of an announced stream. Media of other kinds than video and audio are accepted and not used, unless they are
    /// transport streams.
    ///
    /// - Throws: 415 with the name of the first codec that Apus does not receive.
    func requireSupportedCodecs() throws(Refusal) {
        let streams = media.filter {
            $0.kind == "video" || $0.kind == "audio" || $0.describedTrack?.payload == .transportStream
        }
        guard !streams.isEmpty else {
            throw Refusal(.unsupportedMediaType, reason: "Unsupported Media Type: there is no video and no audio")
        }
        for medium in streams {
            guard let track = medium.describedTrack else {
                let format = medium.formats.first ?? "none"
                throw Refusal(
                    .unsupportedMediaType,
                    reason: "The codec of payload type \(format) (\(medium.kind)) is not described")
            }
            guard track.isReceivable else {
                // The name comes from the client, and a reason phrase is one line.
                let name = String(
                    track.name.unicodeScalars.prefix(48).filter {
                        $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F
                    })
                throw Refusal(.unsupportedMediaType, reason: "\(name) is not supported")
            }
        }
    }
}
