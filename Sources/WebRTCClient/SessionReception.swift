import Media
import RTP
import RTSPClient
import WebRTC
import Wire

/// The reception of the tracks of one session: which packets are decrypted and taken, and what is reported to the server.
/// Confined to the loop.
final class SessionReception {
    private let ssrc: SSRC
    private let decryption: DecryptedShare
    private var tracks: [TrackPlayback]
    private var arrivals = TransportArrivals()
    /// The identifier of the header extension that numbers the packets of the transport; `nil` if the server wants no feedback about them.
    /// Media of one transport have the same identifiers (RFC 9143, section 7.1.3).
    private let transportNumbering: UInt8?
    private var nextReport: MonotonicTime
    /// When the first RTP packet came.
    private var firstPacket: MonotonicTime?
    /// RTP packets so far.
    private var packetCount = 0

    /// The time between two receiver reports, in milliseconds, as in browsers.
    private static let reportMilliseconds: Int64 = 1_000
    /// How long all packets are decrypted, in nanoseconds: until the fast start is over.
    private static let startNanoseconds: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - ssrc: that of the reports.
    ///   - roundTrip: to the server, in nanoseconds; `nil` if unknown.
    init(
        _ agreement: PlaybackAgreement, from ssrc: SSRC, _ plan: PlaybackPlan, roundTrip: Int64?, at now: MonotonicTime
    ) {
        (self.ssrc, decryption) = (ssrc, plan.decryption)
        tracks = agreement.tracks.map { TrackPlayback($0, patience: plan.repairPatience, roundTrip: roundTrip) }
        let numbered = agreement.tracks.lazy.map(\.track).filter(\.takesTransportFeedback)
        transportNumbering = numbered.compactMap(\.extensions.transportSequenceNumber).first
        nextReport = now.advanced(byMilliseconds: Self.reportMilliseconds)
    }

    // MARK: Input

    /// An SRTP packet has come.
    func received(
        _ datagram: RawSpan, through transport: PeerTransport, arrival: MonotonicTime,
        _ deliver: (borrowing ReceivedPacket) -> Void
    ) {
        packetCount &+= 1
        firstPacket = firstPacket ?? arrival
        guard needsDecryption(datagram, at: arrival) else {
            // The header is not encrypted.
            guard datagram.byteCount > transport.overhead else { return }
            let packet = datagram.extracting(0..<(datagram.byteCount - transport.overhead))
            return take(packet, isDecrypted: false, arrival: arrival, deliver)
        }
        guard let packet = transport.opened(datagram) else { return }
        received(decrypted: packet, arrival: arrival, deliver)
    }

    /// A decrypted RTP packet has come.
    func received(decrypted packet: RawSpan, arrival: MonotonicTime, _ deliver: (borrowing ReceivedPacket) -> Void) {
        guard packet.byteCount >= Header.fixedByteCount else { return }
        let type = PayloadType(lowBitsOf: packet.byte(at: 1))
        guard let index = tracks.firstIndex(where: { $0.isRetransmission(type) }) else {
            return take(packet, isDecrypted: true, arrival: arrival, deliver)
        }
        noteArrival(of: packet, at: arrival)
        guard let original = tracks[index].original(in: packet) else { return }
        take(original.span.bytes, isDecrypted: true, arrival: arrival, deliver)
    }

    /// Notes a packet without media for feedback. The server measures the path by all its packets: those that are sent again, and padding.
    private func noteArrival(of packet: RawSpan, at arrival: MonotonicTime) {
        if let (header, _) = Header.parse(packet) { noteArrival(of: header, at: arrival) }
    }

    private func noteArrival(of header: Header, at arrival: MonotonicTime) {
        guard let transportNumbering, let number = header.transportSequenceNumber(identifier: transportNumbering)
        else { return }
        arrivals.received(number, at: arrival)
    }

    /// Whether a packet must be decrypted: it belongs to the share, or cannot be understood otherwise.
    private func needsDecryption(_ datagram: RawSpan, at arrival: MonotonicTime) -> Bool {
        guard case .oneOf(let count) = decryption, datagram.byteCount >= Header.fixedByteCount else { return true }
        if let firstPacket, arrival - firstPacket < Self.startNanoseconds { return true }
        if packetCount % max(1, count) == 0 || tracks.contains(where: \.awaitsKeyframe) { return true }
        // The length of padding, and the number of a packet that is sent again, are encrypted.
        let (flags, type) = (datagram.byte(at: 0), PayloadType(lowBitsOf: datagram.byte(at: 1)))
        return flags & 0x20 != 0 || tracks.contains { $0.isRetransmission(type) }
    }

    private func take(
        _ packet: RawSpan, isDecrypted: Bool, arrival: MonotonicTime, _ deliver: (borrowing ReceivedPacket) -> Void
    ) {
        for index in tracks.indices {
            guard let (header, range, origin) = tracks[index].accept(packet, arrival: arrival) else { continue }
            noteArrival(of: header, at: arrival)
            guard origin != .needlessRepair else { return }
            let payload = packet.extracting(isDecrypted ? range : range.lowerBound..<range.lowerBound)
            return deliver(
                ReceivedPacket(
                    track: index, header: header, isKeyframe: isDecrypted && tracks[index].beginsKeyframe(payload),
                    arrival: arrival, byteCount: packet.byteCount, isRepair: origin == .repair, payload: payload))
        }
        noteArrival(of: packet, at: arrival)
    }

    /// An SRTCP packet has come.
    func receivedReports(
        _ datagram: RawSpan, through transport: PeerTransport, arrival: MonotonicTime,
        _ deliver: (_ track: Int, SenderReport) -> Void
    ) {
        guard let packet = transport.opened(datagram),
            let compound = try? Compound(parsing: packet, allowsReducedSize: true)
        else { return }
        for index in tracks.indices {
            if let report = tracks[index].senderReport(in: compound, arrival: arrival) { deliver(index, report) }
        }
    }

    // MARK: Output

    /// When to call ``reportsDue(at:)``.
    var nextDeadline: MonotonicTime {
        tracks.reduce(min(nextReport, arrivals.nextDeadline)) { min($0, $1.nextRequest) }
    }

    /// The RTCP packets that are due.
    func reportsDue(at now: MonotonicTime) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        for index in tracks.indices { packets += tracks[index].requests(from: ssrc, at: now) }
        if arrivals.nextDeadline <= now, let feedback = arrivals.takeFeedback(at: now),
            let media = tracks.lazy.compactMap(\.source).first
        {
            let message = Feedback(sender: ssrc, request: .transportWide(media: media, feedback))
            packets.append(Compound([.feedback(message)]).encoded())
        }
        guard nextReport <= now else { return packets }
        nextReport = now.advanced(byMilliseconds: Self.reportMilliseconds)
        for index in tracks.indices {
            if let report = tracks[index].report(from: ssrc, at: now) { packets.append(report) }
        }
        return packets
    }

    /// A request for a keyframe of each track that takes one.
    func keyframeRequests() -> [[UInt8]] { tracks.compactMap { $0.keyframeRequest(from: ssrc) } }
}
