import RTP
import SRTP
import Streams

// MARK: - Copies that a client need not ask for

extension Transmitter {
    /// Adds copies behind a frame that was sent whole: of the previous frame, or of itself in a stream of its own.
    ///
    /// - Returns: false if a flush moved this viewer's position back.
    func sendCopies(
        behind run: PacketRun, of track: ViewerTrack, to viewer: Viewer, in view: FeedView<PacketRun>
    ) -> Bool {
        let position = viewer.follower.position
        if track.repair?.stream == nil {
            addCopies(behind: run, of: track, to: viewer, in: view)
        } else {
            sendTwice(run, of: track, to: viewer)
        }
        return viewer.follower.position == position
    }

    /// Adds the packets of a frame again if the client has lost packets and repeats its requests late: if a request is lost, the picture stops
    /// for so long. Large frames are left out, because they are spread over time, and these copies are not.
    private func sendTwice(_ run: PacketRun, of track: ViewerTrack, to viewer: Viewer) {
        guard let repair = track.repair, let rules = repair.rules, viewer.repeatsRequestsLate(rules, at: now),
            viewer.repair?.counts.lost != 0, viewer.pacer == nil, viewer.path?.queueTime(at: now) ?? 0 == 0,
            case .udp(let route) = track.transport, route.isReady(at: now)
        else { return }
        let position = viewer.follower.position
        let place = TrackRepair.place(of: viewer.follower)
        let first = track.rewriter.nextSequenceNumber.advanced(by: -run.packets.count)
        for index in run.packets.indices {
            guard makeRoom(forPackets: 1, in: route.sender), viewer.follower.position == position,
                retransmissions.tokens(at: now) > 0
            else { return }
            append(
                index, of: run, at: place, first.advanced(by: index), of: track, by: repair, to: viewer, over: route)
            let byteCount = Int(run.packets[index].byteCount)
            retransmissions.take(Int64(byteCount))
            countAgain(octets: byteCount, over: route, to: viewer)
            viewer.path?.retransmitted(byteCount: byteCount, at: now)
            statistics.duplicatedPackets &+= 1
        }
    }

    private func addCopies(
        behind run: PacketRun, of track: ViewerTrack, to viewer: Viewer, in view: FeedView<PacketRun>
    ) {
        guard let repair = track.repair, repair.duplication != nil, case .udp(let route) = track.transport,
            let due = repair.sentWhole(
                TrackRepair.place(of: viewer.follower), endingBefore: track.rewriter.nextSequenceNumber,
                count: run.packets.count),
            repair.duplication?.isOn(at: now) == true,
            // After a rollback, another run may have these numbers.
            repair.ledger.packet(due.first, endIndex: view.endIndex, at: now)?.run == due.run,
            let former = self.run(at: due.run, for: viewer, in: view),
            former.packets.count == due.count
        else { return }
        repair.hasSentCopies = true
        var rewriter = track.rewriter
        rewriter.nextSequenceNumber = due.first
        for batch in former.gsoBatches {
            for range in route.usesGSO ? [batch] : batch.map({ $0..<($0 + 1) }) {
                guard makeRoom(forPackets: range.count, in: route.sender) else { return }
                var part = rewriter
                part.advance(by: range.lowerBound)
                sendCopy(
                    of: range, of: former, part.headers(of: former, ticks: viewer.ticks(of: former, at: due.run)),
                    track.protection.map { ($0.outgoing, track.packetIndex(of: part.nextSequenceNumber)) }, over: route,
                    to: viewer)
            }
        }
    }

    /// Adds packets again that have just been added.
    func sendCopy(
        of range: Range<Int>, of run: PacketRun, _ headers: HeaderRewriter.Headers,
        _ protection: (outgoing: OutgoingProtection, first: UInt64)?, over route: UDPRoute, to viewer: Viewer
    ) {
        use(route.sender)
        let octets = route.sender.batch.append(range, of: run, headers, protection, to: route, from: nil)
        countAgain(octets: octets, over: route, to: viewer)
        statistics.duplicatedPackets &+= UInt64(range.count)
    }
}
