import Media
import RTP
import Reactor
import Streams

/// Sender reports and goodbyes of one viewer (RFC 3550, sections 6.4.1, 6.5.1, 6.6).
///
/// All tracks' reports map RTP time to wall-clock time at *capture*, extrapolated to one common instant: now.
struct Reports {
    /// Between two reports of a viewer, in nanoseconds: players want one every few seconds, and silence on TCP may
    /// not last over 4 s (go2rtc drops at 5).
    static let interval: Int64 = 2_500_000_000

    /// The stream's.
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
            deliver(Compound(report: report, canonicalName: viewer.canonicalName), of: track, to: viewer)
        }
        viewer.nextReport = now + Self.interval
    }

    /// Says that nothing follows, on each of the viewer's tracks.
    func sendGoodbye(to viewer: Viewer) {
        for index in viewer.tracks.indices {
            guard let track = viewer.tracks[index], viewer.isFirst(track, at: index) else { continue }
            let report = ReceiverReport(ssrc: track.rewriter.ssrc)
            let goodbye = Goodbye(sources: [track.rewriter.ssrc])
            deliver(
                Compound(report: report, canonicalName: viewer.canonicalName, goodbye: goodbye), of: track, to: viewer)
        }
    }

    private func deliver(_ compound: Compound, of track: ViewerTrack, to viewer: Viewer) {
        guard let bytes = track.protected(compound.encoded()) else { return }
        switch track.transport {
        case .udp(let route):
            route.ports.sendReport(bytes, over: route)
        case .interleaved(_, let channel):
            let length = UInt16(truncatingIfNeeded: bytes.count)
            viewer.output?.append([0x24, channel, UInt8(length >> 8), UInt8(length & 0xFF)] + bytes)
        }
    }
}
