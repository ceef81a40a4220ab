import Media
import RTP
import RateControl
import Streams

extension DeliveryLoop {
    /// Estimates what the paths of an audience's viewers carry, if the encoder follows them or they move between renditions.
    ///
    /// - Returns: whether any path was estimated.
    func observeRates(of audience: Audience, at now: MonotonicTime) -> Bool {
        let followed = audience.stream.rates?.pathLimits
        var isObserved = followed != nil
        audience.estimates.removeAll()
        for viewer in audience.viewers.all where viewer.isPlaying && !viewer.isMulticast {
            guard let limits = viewer.renditions?.pathLimits ?? followed else {
                if viewer.path != nil { viewer.path = nil }
                continue
            }
            audience.estimates.add(observePath(of: viewer, in: audience, limits, at: now))
            isObserved = true
        }
        if followed != nil, !audience.viewers.all.isEmpty {
            audience.stream.update(audience.estimates, of: ObjectIdentifier(audience), at: now)
        }
        for viewer in audience.viewers.all where viewer.renditions != nil { chooseRendition(for: viewer, at: now) }
        return isObserved
    }

    private func observePath(
        of viewer: Viewer, in audience: Audience, _ limits: RateLimits, at now: MonotonicTime
    ) -> PathEstimate {
        viewer.leadingTrack?.updateMeanPacketByteCount()
        // Taken, so that its history is not copied.
        var path = viewer.path.take() ?? ViewerPath(for: viewer, limits: limits)
        path.change(limits)
        if let output = viewer.output {
            path.observe(output, waiting: { waitingTime(of: viewer, output, in: audience, at: now) }, at: now)
        }
        viewer.path = path
        return path.estimate
    }

    /// Handles transport-wide feedback about the leading track. Packets that were sent too long ago are left out.
    public func received(_ feedback: TransportFeedback, about media: SSRC, of viewer: Viewer, at now: MonotonicTime) {
        guard let audience = audience(of: viewer), viewer.path != nil, let track = viewer.leadingTrack,
            track.rewriter.ssrc == media, track.rewriter.extensions.hasTransportSequenceNumber,
            let ledger = track.repair?.ledger, viewer.path?.admitsMessage(at: now) == true
        else { return }
        for (index, arrival) in feedback.arrivals.enumerated() {
            guard
                let packet = ledger.packet(
                    feedback.base.advanced(by: index), endIndex: audience.view.endIndex, at: now)
            else { continue }
            let payload = transmitter.run(of: packet, for: viewer, in: audience.view)?.packets[packet.index].byteCount
            viewer.path?.received(
                sent: packet.sentAt, arrival: arrival,
                byteCount: payload.map { Int($0) + Header.fixedByteCount } ?? track.meanPacketByteCount)
        }
        if viewer.follower.fastStart.isEmpty {
            viewer.path?.endOfFeedback(at: now)
        } else {
            viewer.path?.endOfFeedbackAboutFastStart()
        }
    }

    /// Whether a reception report is about the viewer's fast start. Losses of a fast start are no congestion, so the estimate leaves such a
    /// report out. Transport-wide feedback tells more as soon as the fast start is over.
    func isAboutFastStart(_ track: ViewerTrack, of viewer: Viewer) -> Bool {
        track.rewriter.extensions.hasTransportSequenceNumber && !viewer.follower.fastStart.isEmpty
    }

    /// Media time that waits for a client here, in nanoseconds; `nil` while it reads its fast start.
    private func waitingTime(
        of viewer: Viewer, _ output: TCPOutput, in audience: Audience, at now: MonotonicTime
    ) -> Int64? {
        guard viewer.transport(at: now).countsUnread else { return nil }
        return viewer.follower.lag(
            in: audience.view, over: ViewerTransport(output: output, countsUnread: false), at: now) ?? 0
    }
}

extension ViewerPath {
    init(for viewer: Viewer, limits: RateLimits) {
        let isRepaired = viewer.output != nil || viewer.repair != nil
        self.init(
            limits: limits, repair: isRepaired ? .works : .none,
            countsRepairedAsLost: viewer.leadingTrack?.repair?.separatelyRepairedPackets != nil,
            hasRenditions: viewer.renditions != nil)
    }
}
