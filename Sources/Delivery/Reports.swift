import Media
import RTP
import Reactor
import Streams

/// Sends the sender reports and BYE packets of viewers (RFC 3550, sections 6.4.1, 6.5.1, 6.6).
///
/// The reports of all tracks map RTP time to wall-clock time at *capture*, extrapolated to one common instant: now.
public struct Reports {
    /// The time between two reports of a viewer, in nanoseconds. Players want one every few seconds, and silence on TCP must not
    /// exceed 4 s (go2rtc disconnects after 5).
    public static let interval: Int64 = 2_500_000_000

    /// The stream's clock.
    let clock: StreamClock

    /// Sends a report for each of the viewer's tracks.
    func send(to viewer: Viewer, at now: MonotonicTime) {
        for index in viewer.tracks.indices {
            guard let track = viewer.tracks[index], viewer.isFirst(track, at: index) else { continue }
            let report = SenderReport(
                ssrc: track.rewriter.ssrc, ntpTime: clock.ntpTime(of: now),
                rtpTimestamp: track.rewriter.timestamp(
                    of: MediaTime(nanoseconds: now - clock.epoch, rate: track.clockRate)),
                packetCount: track.packetCount, octetCount: track.octetCount)
            Self.deliver(Compound(report: report, canonicalName: viewer.canonicalName), of: track, to: viewer)
        }
        viewer.timing.nextReport = now + viewer.reportInterval
    }

    /// Sends an RTCP BYE on each of the viewer's tracks.
    func sendGoodbye(to viewer: Viewer) {
        for index in viewer.tracks.indices {
            guard let track = viewer.tracks[index], viewer.isFirst(track, at: index) else { continue }
            let report = ReceiverReport(ssrc: track.rewriter.ssrc)
            let goodbye = Goodbye(sources: [track.rewriter.ssrc])
            Self.deliver(
                Compound(report: report, canonicalName: viewer.canonicalName, goodbye: goodbye), of: track, to: viewer)
        }
    }

    /// Sends a packet on one of the viewer's tracks.
    static func deliver(_ compound: Compound, of track: ViewerTrack, to viewer: Viewer) {
        guard let bytes = track.protected(compound.encoded()) else { return }
        switch track.transport {
        case .udp(let route):
            route.ports.sendReport(bytes, over: route)
        case .interleaved(_, let channel):
            viewer.output?.append(report: bytes, on: channel)
        case .framed: bytes.withUnsafeBytes { viewer.output?.append(datagram: $0) }
        }
    }
}
