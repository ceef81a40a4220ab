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
        guard let packet = transport.opened(datagram), packet.byteCount >= Header.fixedByteCount else { return }
        let type = PayloadType(lowBitsOf: packet.byte(at: 1))
        guard let index = tracks.firstIndex(where: { $0.isRetransmission(type) }) else {
            return take(packet, isDecrypted: true, arrival: arrival, deliver)
        }
        guard let original = tracks[index].original(in: packet) else { return }
        take(original.span.bytes, isDecrypted: true, arrival: arrival, deliver)
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
            if let number = tracks[index].transportNumber(header) { arrivals.received(number, at: arrival) }
            guard origin != .needlessRepair else { return }
            let payload = packet.extracting(isDecrypted ? range : range.lowerBound..<range.lowerBound)
            return deliver(
                ReceivedPacket(
                    track: index, header: header, isKeyframe: isDecrypted && tracks[index].beginsKeyframe(payload),
                    arrival: arrival, byteCount: packet.byteCount, isRepair: origin == .repair, payload: payload))
        }
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
