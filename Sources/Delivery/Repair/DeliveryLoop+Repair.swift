import Media
import RTP
import Streams

// MARK: - What clients report

extension DeliveryLoop {
    /// Requests a keyframe because the viewer's client asked for one (PLI, FIR).
    public func requestKeyframe(for viewer: Viewer, at now: MonotonicTime) {
        guard viewer.keyframeRequests.takeOne(at: now) else { return }
        audience(of: viewer)?.requestKeyframe(at: now)
    }

    /// Handles a client's request for packets that it has lost. They are sent again in the next turn.
    ///
    /// - Parameter media: the SSRC of their track.
    public func receivedRequest(
        for packets: [Feedback.LostPackets], of media: SSRC, by viewer: Viewer, at now: MonotonicTime
    ) {
        guard viewer.asksForLostPackets, let audience = audience(of: viewer) else { return }
        viewer.repair?.counts.requests += 1
        let track = viewer.tracks.firstIndex { $0?.rewriter.ssrc == media }
        let packets = packets.prefix(ViewerRepair.maximumRequestCount)
        let count = packets.reduce(0) { $0 + 1 + Int64($1.following.nonzeroBitCount) }
        guard let track, (viewer.repair?.packets.tokens(at: now) ?? 0) >= count else {
            viewer.repair?.counts.ignoredRequests += 1
            return
        }
        viewer.repair?.packets.take(count)
        repairs += packets.map {
            RepairRequest(viewer: viewer, track: track, lost: $0)
        }
        audience.hasLosses = true
    }

    /// Handles a reception report. If the client lacks more packets than before, frames are damaged until the next keyframe, so one is
    /// requested.
    public func received(_ report: ReportBlock, of viewer: Viewer, at now: MonotonicTime) {
        guard let audience = audience(of: viewer),
            let track = viewer.tracks.lazy.compactMap(\.self).first(where: { $0.rewriter.ssrc == report.ssrc })
        else { return }
        let report = track.reception == nil ? report.asFirst(ofSent: track.packetCount) : report
        let reception = ClientReception(
            report, after: track.reception, repairedPackets: track.repair?.separatelyRepairedPackets,
            hidesLosses: track.repair?.hasSentCopies == true,
            at: audience.stream.clock.ntpTime(of: now))
        track.reception = reception
        track.repair?.duplication?.reported(
            newlyLost: reception.newlyLost, lossShare: reception.lossShare, roundTrip: reception.roundTripNanoseconds,
            at: now)
        if viewer.output == nil, track === viewer.leadingTrack, !isAboutFastStart(track, of: viewer) {
            viewer.path?.received(
                report, roundTrip: reception.roundTripNanoseconds, packetByteCount: track.meanPacketByteCount,
                clockRate: Int64(track.clockRate.hertz), at: now)
        }
        guard viewer.output == nil, reception.newlyLost > 0, track === viewer.leadingTrack,
            !viewer.follower.isAwaitingKeyframe, viewer.keyframeRequests.takeOne(at: now)
        else { return }
        audience.requestKeyframeAfterDamage(at: now)
    }

    /// Handles what viewers of an audience have lost, before they are sent anything new.
    func repairLosses(of audience: Audience, at now: MonotonicTime) {
        guard audience.hasLosses else { return }
        audience.hasLosses = false
        for request in repairs where self.audience(of: request.viewer) === audience {
            transmitter.countLosses(request, in: audience.view)
        }
        for request in repairs where self.audience(of: request.viewer) === audience {
            audience.replaceLosses(of: request, with: transmitter)
            transmitter.repair(request, in: audience.view)
            if let sent = request.viewer.repair?.takeLostForGood() {
                audience.requestKeyframe(afterLossOfPacketSentAt: sent, at: now)
            }
        }
    }
}
