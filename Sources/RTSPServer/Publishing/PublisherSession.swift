import Delivery
import Media
import RTP
import RTSP
import Reactor
import SDP
import SRTP

/// The session of a client that publishes a stream: its tracks, and what is received on them. Loop thread only.
final class PublisherSession {
    let id: SessionID
    let announcement: AnnounceRequest
    let point: PublishingPoint
    private(set) var tracks: [PublisherTrack] = []
    /// From RECORD on.
    private(set) var publication: Publication?
    private var reception: StreamReception?
    /// Whether the newest packet ends a frame: it has a marker. Otherwise more packets follow at once, also after a report, which
    /// ffmpeg sends before a frame.
    private(set) var endsFrame = true
    /// When RECORD was answered.
    private(set) var startedAt: MonotonicTime?
    private(set) var nextReport = MonotonicTime.distantFuture
    private var nextStatus = MonotonicTime.distantFuture
    /// The source of our receiver reports.
    private let reportSource: SSRC
    private let canonicalName: String
    /// The part of `failureCount` that ``takeNewFailureCount()`` has returned.
    private var takenFailureCount: Int64 = 0

    init(
        _ id: SessionID, _ announcement: AnnounceRequest, at point: PublishingPoint, reportSource: SSRC,
        canonicalName: String
    ) {
        (self.id, self.announcement, self.point) = (id, announcement, point)
        (self.reportSource, self.canonicalName) = (reportSource, canonicalName)
    }

    func setUp(_ track: PublisherTrack) { tracks.append(track) }

    var usesUDP: Bool { tracks.contains { if case .udp = $0.route { true } else { false } } }

    /// How its packets come, for the status and the log.
    func transportName(insideTLS: Bool) -> String {
        let way = usesUDP ? "UDP" : insideTLS ? "TLS" : "TCP"
        return tracks.contains { $0.protection != nil } ? "SRTP over \(way)" : way
    }

    /// What is received of the tracks that are set up; `nil` if none of them can be published.
    var receivedMedia: ReceivedMedia? {
        ReceivedMedia(of: announcement.description, among: tracks.map(\.medium))
    }

    /// Takes media from now on.
    func begin(_ publication: Publication, receiving media: ReceivedMedia, at now: MonotonicTime) {
        self.publication = publication
        for index in tracks.indices { tracks[index].index = media.indices.firstIndex(of: tracks[index].medium) }
        var reception = StreamReception(media.source, into: publication.input)
        reception.began(at: now)
        self.reception = reception
        (startedAt, nextReport, nextStatus) = (now, now + Self.reportInterval, now + Self.statusInterval)
    }

    /// Continues after a PAUSE: the publisher has the whole time again to send media.
    func resume(at now: MonotonicTime) { reception?.began(at: now) }

    // MARK: Input

    /// A packet has come on a track's RTP or RTCP port or channel. Devices send RTCP on either.
    ///
    /// - Returns: whether the packet belongs to the track.
    @discardableResult
    func received(_ packet: RawSpan, on track: Int, at now: MonotonicTime) -> Bool {
        guard let protection = tracks[track].protection else { return receivedPlain(packet, on: track, at: now) }
        guard let plain = protection.incoming.opened(packet) else { return false }
        return receivedPlain(plain, on: track, at: now)
    }

    private func receivedPlain(_ packet: RawSpan, on track: Int, at now: MonotonicTime) -> Bool {
        guard let (header, payload, _) = tracks[track].admission.accept(packet, arrival: now) else {
            endsFrame = false
            return receivedReport(packet, on: track, at: now)
        }
        tracks[track].hasSaidGoodbye = false
        endsFrame = header.isMarked
        guard let index = tracks[track].index else { return true }
        reception?.received(packet.extracting(payload), header: header, track: index, arrival: now)
        return true
    }

    private func receivedReport(_ packet: RawSpan, on track: Int, at now: MonotonicTime) -> Bool {
        guard let compound = try? Compound(parsing: packet, allowsReducedSize: true) else { return false }
        let report = tracks[track].admission.senderReport(in: compound, arrival: now)
        if let report, let index = tracks[track].index {
            reception?.received(report, track: index, arrival: now)
        }
        for case .goodbye(let goodbye) in compound.packets {
            guard let source = tracks[track].admission.source, goodbye.sources.contains(source) else { continue }
            tracks[track].hasSaidGoodbye = true
        }
        if hasSaidGoodbye { reception?.peerSaidGoodbye(at: now) }
        return true
    }

    /// Whether all tracks that are used have ended.
    private var hasSaidGoodbye: Bool {
        let used = tracks.filter { $0.index != nil }
        return !used.isEmpty && used.allSatisfy(\.hasSaidGoodbye)
    }

    /// The track that a packet from an unknown port belongs to, among those without a confirmed port: by its key, or without SRTP
    /// by its payload type.
    func unlatchedTrack(of packet: RawSpan) -> Int? {
        var found: Int?
        for index in tracks.indices where isUnlatched(tracks[index], by: packet) {
            guard found == nil else { return nil }
            found = index
        }
        return found
    }

    private func isUnlatched(_ track: PublisherTrack, by packet: RawSpan) -> Bool {
        guard case .udp = track.route, !track.latched.contains(.rtp) else { return false }
        if let protection = track.protection { return protection.incoming.isAuthentic(packet) }
        return track.payloadType.map { $0 == Header.parse(packet)?.header.payloadType.rawValue } ?? false
    }

    /// A packet has come from this port of the client.
    func latch(_ track: Int, _ port: UDPPort) { tracks[track].latched.insert(port) }

    /// Packets that have failed the authentication of SRTP since the last call.
    func takeNewFailureCount() -> Int64 {
        let count = tracks.reduce(0) { $0 + ($1.protection?.incoming.failureCount ?? 0) }
        defer { takenFailureCount = count }
        return count - takenFailureCount
    }

    // MARK: Deadlines

    /// The time between two receiver reports, in nanoseconds (RFC 3550, section 6.2).
    private static let reportInterval: Int64 = 5_000_000_000

    /// The time between two notes of what has been received, in nanoseconds.
    private static let statusInterval: Int64 = 1_000_000_000

    /// When to call ``deadlinePassed(at:roundTrip:_:)``.
    var nextDeadline: MonotonicTime { min(reception?.nextDeadline ?? .distantFuture, nextReport, nextStatus) }

    /// - Parameters:
    ///   - roundTrip: to the publisher, in nanoseconds; `nil` if it is unknown.
    ///   - send: sends a receiver report for a track.
    /// - Returns: why the publication ends now; `nil` if it goes on.
    func deadlinePassed(
        at now: MonotonicTime, roundTrip: Int64?, _ send: ([UInt8], PublisherTrack) -> Void
    ) -> Withdrawal? {
        switch reception?.deadlinePassed(at: now) {
        case .silence(let seconds): return hasSaidGoodbye ? .goodbye : .silence(seconds: seconds)
        case .unusable(let fault): return .unusable(fault)
        case nil: break
        }
        if nextStatus <= now {
            nextStatus = now + Self.statusInterval
            let used = tracks.filter { $0.index != nil }.sorted { $0.index ?? 0 < $1.index ?? 0 }
            reception?.noteStatus(
                used.map(\.admission.statistics), unauthenticCounts: used.map { $0.protection?.incoming.failureCount },
                roundTrip: roundTrip)
        }
        guard nextReport <= now else { return nil }
        nextReport = now + Self.reportInterval
        for index in tracks.indices {
            let report = tracks[index].admission.report(from: reportSource, canonicalName: canonicalName, at: now)
            if let report { send(report, tracks[index]) }
        }
        return nil
    }
}
