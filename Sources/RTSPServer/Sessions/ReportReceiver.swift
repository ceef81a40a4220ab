import Delivery
import Media
import RTP
import RTSP
import Reactor
import SRTP

/// Handles RTCP of viewers: liveness, lost packets, and keyframe requests. Confined to the loop.
struct ReportReceiver {
    let delivery: DeliveryLoop
    let sessions: Sessions

    /// Handles a datagram that came to the loop's ports.
    ///
    /// - Returns: whether its source is a client of this service.
    func received(
        _ datagram: RawSpan, from source: SocketAddress, on port: UDPPort, at now: MonotonicTime
    ) -> Bool {
        guard let session = sessions.addresses.session(at: source) else { return false }
        switch port {
        case .rtp: sessions.addresses.confirmed(session, on: .rtp)
        case .rtcp:
            guard let connection = sessions.owner(of: session.viewer)?.connection,
                isAuthentic(datagram, for: session, from: source, on: connection, at: now)
            else { return true }
            sessions.addresses.confirmed(session, on: .rtcp)
        }
        return true
    }

    /// Handles a datagram, unless its authentication fails.
    private func isAuthentic(
        _ datagram: RawSpan, for session: ViewerSession, from source: SocketAddress, on connection: Connection,
        at now: MonotonicTime
    ) -> Bool {
        guard session.isProtected else {
            handle(datagram, from: session, on: connection, at: now)
            return true
        }
        let track = session.viewer.tracks.lazy.compactMap(\.self).first { $0.acceptsReports(from: source) }
        guard let protection = track?.protection, let report = protection.incoming.opened(datagram) else {
            return false
        }
        handle(report, from: session, on: connection, at: now)
        return true
    }

    /// Handles what a client has sent on one of a session's channels.
    func receivedInterleaved(
        _ bytes: ArraySlice<UInt8>, on channel: UInt8, for session: ViewerSession, on connection: Connection,
        at now: MonotonicTime
    ) {
        let track = session.viewer.tracks.lazy.compactMap(\.self).first { $0.acceptsReports(onChannel: channel) }
        // One track of a session may be protected, and another not.
        guard session.isProtected, let protection = track?.protection else {
            return handle(bytes.span.bytes, from: session, on: connection, at: now)
        }
        if let report = protection.incoming.opened(bytes.span.bytes) {
            handle(report, from: session, on: connection, at: now)
        }
    }

    /// Handles a compound packet. A malformed one is ignored.
    private func handle(_ bytes: RawSpan, from session: ViewerSession, on connection: Connection, at now: MonotonicTime)
    {
        // libavformat sends requests without a report (RFC 5506). Only clients that were offered feedback may do so.
        guard let compound = try? Compound(parsing: bytes, allowsReducedSize: session.viewer.asksForLostPackets) else {
            return
        }
        connection.machine.noteActivity(of: session.id, at: now)
        for packet in compound.packets { handle(packet, from: session.viewer, at: now) }
    }

    private func handle(_ packet: ControlPacket, from viewer: Viewer, at now: MonotonicTime) {
        switch packet {
        case .receiverReport(let report):
            for block in report.blocks { delivery.received(block, of: viewer, at: now) }
        case .feedback(let feedback):
            switch feedback.request {
            case .pictureLossIndication, .fullIntraRequest: delivery.requestKeyframe(for: viewer, at: now)
            case .genericNACK(let media, let packets):
                delivery.receivedRequest(for: packets, of: media, by: viewer, at: now)
            case .transportWide(let media, let feedback):
                delivery.received(feedback, about: media, of: viewer, at: now)
            case .bitrateLimit: break
            }
        case .senderReport, .sourceDescription, .goodbye, .extendedReport: break
        }
    }
}
