import Delivery
import Media
import RTP
import RTSP
import Reactor
import SRTP
import Streams

/// Answers SETUP, in named steps: target; then for the first offer that can be met: addresses, keys, viewer, answer. Confined to
/// the loop.
final class SessionSetup {
    /// What became of a SETUP.
    enum Outcome {
        case answered(Result<SetUpAnswer, Refusal>)
        /// The stream has no input yet.
        case waitsForInput
        /// The home of the multicast groups answers in a later turn.
        case waitsForGroup
    }

    private let place: LoopPlace
    private let context: ServerContext
    private let sessions: Sessions
    private let log: ServiceLog
    private var numbers = SystemRandomNumberGenerator()
    /// This host's address, for clients that must use IPv4.
    private var ownIPv4Host = CachedHost()

    init(_ place: LoopPlace, _ context: ServerContext, sessions: Sessions, log: ServiceLog) {
        self.place = place
        self.context = context
        self.sessions = sessions
        self.log = log
    }

    /// - Parameter mustAnswer: whether the answer must not wait any longer for the stream's input.
    func answer(
        _ request: SetUpRequest, _ id: RequestID, on connection: Connection, mustAnswer: Bool, at now: MonotonicTime
    ) -> Outcome {
        do throws(Refusal) {
            guard
                let target = try SetUpTarget.find(
                    by: request, on: connection, in: context.directory, mustAnswer: mustAnswer)
            else { return .waitsForInput }
            let attempt = Attempt(request: request, target: target, connection: connection, now: now)
            let isReferred = isReferredToTCP(attempt)
            for offer in request.offers where target.session.map({ $0.lowerTransport == offer.lowerTransport }) ?? true
            {
                if case .multicast = offer {
                    guard target.entry.options.multicast(of: request.encapsulation) != nil else { continue }
                    sessions.groups.join(
                        GroupJoin(
                            connection: connection.token, id: id, request: request, entry: target.entry,
                            track: target.track))
                    return .waitsForGroup
                }
                if isReferred, case .udp = offer { continue }
                if let answer = try meet(offer, in: attempt) { return .answered(.success(answer)) }
            }
            throw Refusal(
                .unsupportedTransport,
                reason: isReferred
                    ? "Unsupported Transport: your last sessions over UDP lost too many packets, use TCP"
                    : "Unsupported Transport: none of the offered transports is available")
        } catch {
            return .answered(.failure(error))
        }
    }

    // MARK: Meeting an offer

    /// Whether a new session may not use UDP, because the last ones of this client lost too many packets.
    private func isReferredToTCP(_ attempt: Attempt) -> Bool {
        let userAgent = attempt.connection.client.userAgent
        guard context.options.network.fallsToTCP, attempt.request.encapsulation == .tracks,
            attempt.target.session == nil,
            ClientDialect(userAgent: userAgent).fallsBackToTCP
        else { return false }
        guard context.registry.refersToTCP(attempt.connection.peer, userAgent, at: attempt.now) else { return false }
        attempt.connection.client.isReferredToTCP = true
        return true
    }

    /// The RTP numbers that a track begins with, and how it is protected.
    private struct Numbering {
        let rewriter: HeaderRewriter
        let key: MasterKey?
        let protection: TrackProtection?
    }

    /// A request, and what it names.
    private struct Attempt {
        let request: SetUpRequest
        let target: SetUpTarget
        let connection: Connection
        let now: MonotonicTime

        /// The key that was sent to the client for the track, and that no session uses.
        var announcedKey: AnnouncedKeys.TrackKey? {
            target.track.flatMap { connection.client.announcedKeys.key(of: $0.id, at: target.entry.stream.path) }
        }
    }

    /// Sets up a unicast transport; `nil` if the offer cannot be met.
    private func meet(_ offer: TransportOffer, in attempt: Attempt) throws(Refusal) -> SetUpAnswer? {
        // Keys come after the addresses, because deriving them is expensive, and an offer with ports in use needs none.
        guard !offer.profile.isSecure || attempt.announcedKey != nil,
            let destinations = try reserveDestinations(of: offer, for: attempt)
        else { return nil }
        guard let numbering = numbering(for: offer.profile, attempt) else {
            sessions.addresses.release(destinations)
            return nil
        }
        guard let session = attempt.target.session ?? newSession(over: offer.lowerTransport, attempt) else {
            sessions.addresses.release(destinations)
            throw Refusal(.notEnoughBandwidth, reason: "Not Enough Bandwidth: too many viewers")
        }
        if case .interleaved = offer { attempt.connection.client.isReferredToTCP = false }
        session.setUp(
            attempt.target.track, control: attempt.request.track,
            as: ViewerTrack(
                rewriter: numbering.rewriter, transport: transport(of: offer, to: destinations, on: attempt.connection),
                clockRate: attempt.target.track?.clockRate ?? .video, protection: numbering.protection,
                repair: repair(of: offer, numbering, attempt)),
            limits: context.options.loop.delivery.repair.viewerLimits)
        if let track = attempt.target.track, numbering.protection != nil {
            session.isProtected = true
            attempt.connection.client.announcedKeys.use(of: track.id, at: attempt.target.entry.stream.path)
        }
        sessions.addresses.add(destinations, to: session)
        return SetUpAnswer(
            answer(to: offer, ssrc: numbering.rewriter.ssrc.rawValue), freshSession: session.id,
            streamID: attempt.target.track == nil ? context.registry.nextStreamID() : nil)
    }

    /// Reserves the client's addresses; empty over TCP. `nil` if they are in use or unreachable.
    private func reserveDestinations(of offer: TransportOffer, for attempt: Attempt) throws(Refusal) -> [SocketAddress]?
    {
        switch offer {
        case .multicast: return nil
        case .interleaved: return []
        case .udp(let client, _):
            // IPv6 sockets serve both families. If the host has no IPv6, IPv4 sockets cannot reach an IPv6 client.
            guard attempt.connection.peer.family == .ipv4 || place.ports.pair.rtp.family == .ipv6 else { return nil }
            let host = try mediaHost(for: attempt)
            let destinations = [host.with(port: client.rtp), host.with(port: client.rtcp)]
            return sessions.addresses.reserve(destinations) ? destinations : nil
        }
    }

    /// The destination of the media: always the client.
    private func mediaHost(for attempt: Attempt) throws(Refusal) -> SocketAddress {
        let connection = attempt.connection
        guard attempt.request.encapsulation == .transportStream else { return connection.peer }
        let address = SATIP.mediaAddress(forPeer: connection.peer.host).flatMap { SocketAddress($0, port: 0) }
        guard let address else {
            let host = ownIPv4Host.host(at: attempt.now) ?? "127.0.0.1"
            log.tunerOverIPv6(
                connection, url: "rtsp://\(host):\(context.options.port)\(attempt.request.path)", at: attempt.now)
            throw Refusal(.unsupportedTransport, reason: "Unsupported Transport: SAT>IP is IPv4 only")
        }
        return address
    }

    /// The RTP numbers that the track begins with, and its SRTP protection if the profile requires it; `nil` if that is
    /// impossible.
    private func numbering(for profile: MediaProfile, _ attempt: Attempt) -> Numbering? {
        let key = profile.isSecure ? attempt.announcedKey : nil
        let rewriter = HeaderRewriter.random(
            payloadTypeOf: attempt.target.track?.id, extensions: extensions(for: profile, attempt), ssrc: key?.ssrc,
            using: &numbers)
        guard profile.isSecure else { return Numbering(rewriter: rewriter, key: nil, protection: nil) }
        guard let key else { return nil }
        do throws(SRTPFailure) {
            let protection = try TrackProtection(
                own: key.key, ssrc: key.ssrc.rawValue, peer: attempt.request.clientKey ?? key.key)
            return Numbering(rewriter: rewriter, key: key.key, protection: protection)
        } catch {
            log.protectionFailed(error, for: attempt.connection, at: attempt.now)
            return nil
        }
    }

    /// The header extensions of a track: those of the path, and the numbers of packets for GStreamer's transport-wide feedback, which the
    /// description has offered.
    private func extensions(for profile: MediaProfile, _ attempt: Attempt) -> HeaderExtensionLayout {
        let entry = attempt.target.entry
        let dialect = ClientDialect(userAgent: attempt.connection.client.userAgent)
        let isMeasured =
            profile.hasFeedback && dialect.repair == .retransmissionStream && context.options.network.retransmits
            && entry.stream.measuresPaths
        return entry.options.headerExtensions.with(.transportSequenceNumber, isMeasured)
    }

    /// The repair of a track, if its packets travel as datagrams to a client that asks for lost ones.
    private func repair(of offer: TransportOffer, _ numbering: Numbering, _ attempt: Attempt) -> TrackRepair? {
        guard case .udp(_, let profile) = offer else { return nil }
        let options = context.options.network
        guard let track = attempt.target.track else { return copies(for: attempt, options) }
        let dialect = ClientDialect(userAgent: attempt.connection.client.userAgent)
        if dialect.repair == .copies { return options.duplicates ? TrackRepair(.behindNextFrame) : nil }
        guard options.retransmits else { return nil }
        switch dialect.repair {
        case .none, .copies: return nil
        // It names no profile with feedback, although it sends feedback.
        case .retransmission: return TrackRepair(.libavformat)
        case .repeatedRetransmission: return profile.hasFeedback ? TrackRepair(.apus) : nil
        case .retransmissionStream:
            guard profile.hasFeedback else { return nil }
            return retransmissionStream(of: track, numbering)
        }
    }

    /// The repair of a transport stream: VLC's SAT>IP module neither asks for packets nor reports losses, so that only the options and
    /// other clients of its host tell whether it loses any.
    private func copies(for attempt: Attempt, _ options: NetworkOptions) -> TrackRepair? {
        let peer = attempt.connection.peer
        let isListed = IPAddress(peer.host).map { address in
            options.duplicatedAddresses.contains { $0.contains(address) }
        }
        let hasLost = options.duplicates && context.registry.hasLost(at: peer, attempt.now)
        return isListed == true || hasLost ? TrackRepair(.inSuccession) : nil
    }

    private func retransmissionStream(of track: Track, _ numbering: Numbering) -> TrackRepair? {
        let ssrc = SSRC(numbers.next())
        var rewriter = HeaderRewriter.random(
            PayloadType(lowBitsOf: track.id.retransmissionPayloadType),
            // Feedback is about the first transmissions.
            extensions: numbering.rewriter.extensions.with(.transportSequenceNumber, false),
            // Under SRTP, sequence numbers begin in the lower half.
            ssrc: numbering.key == nil ? nil : ssrc, using: &numbers)
        rewriter.timestampOffset = numbering.rewriter.timestampOffset
        guard let key = numbering.key else { return TrackRepair(.gStreamer, stream: rewriter, protection: nil) }
        // The key was derived once already.
        guard let protection = try? OutgoingProtection(key, ssrc: ssrc.rawValue) else { return nil }
        return TrackRepair(.gStreamer, stream: rewriter, protection: protection)
    }

    private func newSession(over lowerTransport: ViewerSession.LowerTransport, _ attempt: Attempt) -> ViewerSession? {
        sessions.make(
            for: attempt.target.entry, tracks: attempt.target.tracks, encapsulation: attempt.request.encapsulation,
            user: attempt.request.grant.user, over: lowerTransport, on: attempt.connection, at: attempt.now)
    }

    /// The transport of a track for this offer.
    private func transport(
        of offer: TransportOffer, to destinations: [SocketAddress], on connection: Connection
    ) -> ViewerTrack.TrackTransport {
        if case .interleaved(let channels, _) = offer {
            return .interleaved(channel: channels.rtp, reportChannel: channels.rtcp)
        }
        let source = destinations[0].family == connection.local.family ? connection.local : nil
        return .udp(
            UDPRoute(
                destination: destinations[0], reportDestination: destinations[1], source: source, ports: place.ports))
    }

    /// The transport that the client is told for an accepted offer.
    private func answer(to offer: TransportOffer, ssrc: UInt32) -> TransportAnswer {
        switch offer {
        case .udp(let client, let profile):
            let server = RTSP.PortPair(rtp: place.ports.pair.port)
            return .udp(clientPorts: client, serverPorts: server, ssrc: ssrc, profile: profile)
        case .interleaved(let channels, let profile):
            return .interleaved(channels, ssrc: ssrc, profile: profile)
        case .multicast:
            preconditionFailure("multicast offers are answered by the home of the groups")
        }
    }
}
