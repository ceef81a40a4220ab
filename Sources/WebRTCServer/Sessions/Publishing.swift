import Delivery
import Media
import RTP
import RTSP
import SRTP
import Streams
import WebRTC

/// What a session publishes. Confined to its loop.
final class Publishing {
    let point: PublishingPoint
    /// From the keys on.
    private(set) var publication: Publication?
    private(set) var startedAt = MonotonicTime(nanoseconds: 0)
    private var tracks: [TrackPublishing]
    private let source: ReceivedStream.Source
    private var reception: StreamReception?
    private var incoming: IncomingProtection?
    private var outgoing: OutgoingReports?
    private var send: (([UInt8]) -> Void)?
    private let reportSource: SSRC
    private let canonicalName: String
    private var nextReport = MonotonicTime.distantFuture
    private var nextStatus = MonotonicTime.distantFuture
    /// Whether a viewer needs a keyframe.
    private var isKeyframeWanted = false
    /// When the packets of the publisher have arrived; `nil` if it does not want to know.
    private var arrivals: TransportArrivals?

    /// The time between two receiver reports, in nanoseconds. Publishers adapt their rate to them.
    private static let reportInterval: Int64 = 1_000_000_000
    /// The time between two notes of what has been received, in nanoseconds.
    private static let statusInterval: Int64 = 1_000_000_000

    /// - Returns: `nil` if none of the tracks can be received.
    init?(_ published: [PublishedTrack], at point: PublishingPoint, reportSource: SSRC, canonicalName: String) {
        let formats = published.compactMap { track in
            track.description.receivedFormat.map {
                ReceivedStream.RTPTrack(clockRate: track.description.clockRate, format: $0)
            }
        }
        guard !formats.isEmpty, formats.count == published.count else { return nil }
        source = .tracks(formats)
        (self.point, self.reportSource, self.canonicalName) = (point, reportSource, canonicalName)
        if published.contains(where: \.takesTransportFeedback) { arrivals = TransportArrivals() }
        tracks = published.map { TrackPublishing($0) }
    }

    /// Takes media from now on.
    ///
    /// - Parameter send: sends a datagram to the publisher.
    func begin(
        _ publication: Publication, _ keys: TransportKeys, at now: MonotonicTime, send: @escaping ([UInt8]) -> Void
    ) throws(SRTPFailure) {
        incoming = try IncomingProtection(SenderKey(keys.peer))
        outgoing = try OutgoingReports(keys.own)
        self.publication = publication
        self.send = send
        var reception = StreamReception(source, into: publication.input)
        reception.began(at: now)
        self.reception = reception
        for index in tracks.indices { tracks[index].begin() }
        startedAt = now
        (nextReport, nextStatus) = (now + Self.reportInterval, now + Self.statusInterval)
    }

    // MARK: Input

    /// An SRTP or SRTCP packet has come.
    func received(_ datagram: RawSpan, at now: MonotonicTime) {
        guard let incoming, let packet = incoming.opened(datagram) else { return }
        if takeMedia(packet, at: now) || takeRetransmission(packet, at: now) { return }
        receivedReport(packet, at: now)
    }

    /// Passes on a packet of media.
    ///
    /// - Returns: whether it is one.
    private func takeMedia(_ packet: RawSpan, at now: MonotonicTime) -> Bool {
        for index in tracks.indices {
            guard let (header, payload) = tracks[index].accept(packet, arrival: now) else { continue }
            noteArrival(header, of: tracks[index].published, at: now)
            reception?.received(packet.extracting(payload), header: header, track: index, arrival: now)
            return true
        }
        return false
    }

    /// Passes on the lost packet in a packet that was sent again.
    ///
    /// - Returns: whether it is one. It may be padding, with which the publisher measures the path.
    private func takeRetransmission(_ packet: RawSpan, at now: MonotonicTime) -> Bool {
        guard let (header, _) = Header.parse(packet),
            let index = tracks.firstIndex(where: { $0.isRetransmission(header.payloadType) })
        else { return false }
        noteArrival(header, of: tracks[index].published, at: now)
        if let original = tracks[index].original(in: packet) { _ = takeMedia(original.span.bytes, at: now) }
        return true
    }

    private func noteArrival(_ header: Header, of track: PublishedTrack, at now: MonotonicTime) {
        guard arrivals != nil, let identifier = track.extensions.transportSequenceNumber,
            let number = header.transportSequenceNumber(identifier: identifier)
        else { return }
        arrivals?.received(number, at: now)
    }

    private func receivedReport(_ packet: RawSpan, at now: MonotonicTime) {
        guard let compound = try? Compound(parsing: packet, allowsReducedSize: true) else { return }
        for index in tracks.indices {
            if let report = tracks[index].senderReport(in: compound, arrival: now) {
                reception?.received(report, track: index, arrival: now)
            }
        }
        for case .goodbye(let goodbye) in compound.packets
        where tracks.allSatisfy({ $0.source.map(goodbye.sources.contains) ?? true }) {
            reception?.peerSaidGoodbye(at: now)
        }
    }

    /// A viewer needs a keyframe.
    func requestKeyframe(at now: MonotonicTime) { isKeyframeWanted = true }

    // MARK: Deadlines

    /// When something is due.
    var nextDeadline: MonotonicTime {
        let requests = tracks.reduce(MonotonicTime.distantFuture) { min($0, $1.nextRequest) }
        return min(
            reception?.nextDeadline ?? .distantFuture, nextReport, nextStatus, requests,
            arrivals?.nextDeadline ?? .distantFuture)
    }

    /// Does what is due.
    ///
    /// - Returns: why the publication ends now; `nil` if it goes on.
    func serve(at now: MonotonicTime) -> EndedSessions.End? {
        guard reception != nil else { return nil }
        if nextDeadline <= now, let end = passDeadline(at: now) { return end }
        if isKeyframeWanted || reception?.needsKeyframe == true { sendKeyframeRequests(at: now) }
        return nil
    }

    private func passDeadline(at now: MonotonicTime) -> EndedSessions.End? {
        switch reception?.deadlinePassed(at: now) {
        case .silence(let seconds):
            return EndedSessions.End(departure: .silent, reason: "no media came for \(seconds) s")
        case .unusable(let fault): return EndedSessions.End(departure: .streamEnded, reason: "\(fault)")
        case nil: break
        }
        for index in tracks.indices where tracks[index].nextRequest <= now {
            let request = tracks[index].retransmissionRequest(
                from: reportSource, canonicalName: canonicalName, at: now)
            if let request { sendReport(request) }
        }
        // Feedback is taken only if it can be sent: a track that is offered first may be silent.
        if let media = tracks.lazy.compactMap(\.source).first, let feedback = arrivals?.takeFeedback(at: now) {
            let message = Feedback(sender: reportSource, request: .transportWide(media: media, feedback))
            sendReport(Compound([.feedback(message)]).encoded())
        }
        if nextStatus <= now {
            nextStatus = now + Self.statusInterval
            reception?.noteStatus(
                tracks.map(\.statistics), unauthenticCounts: tracks.map { _ in incoming?.failureCount },
                roundTrip: nil)
        }
        guard nextReport <= now else { return nil }
        nextReport = now + Self.reportInterval
        for index in tracks.indices {
            let report = tracks[index].report(from: reportSource, canonicalName: canonicalName, at: now)
            if let report { sendReport(report) }
        }
        return nil
    }

    private func sendKeyframeRequests(at now: MonotonicTime) {
        for index in tracks.indices {
            let request = tracks[index].keyframeRequest(from: reportSource, canonicalName: canonicalName, at: now)
            guard let request else { continue }
            isKeyframeWanted = false
            sendReport(request)
        }
    }

    /// Says that this end leaves.
    func sayGoodbye() {
        let report = ReceiverReport(ssrc: reportSource)
        sendReport(
            Compound(
                report: report, canonicalName: canonicalName, goodbye: Goodbye(sources: [reportSource])
            ).encoded())
    }

    private func sendReport(_ report: [UInt8]) {
        if let bytes = outgoing?.sealed(report) { send?(bytes) }
    }
}
