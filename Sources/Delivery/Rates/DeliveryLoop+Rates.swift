import Media
import RTP
import RateControl
import Streams

extension DeliveryLoop {
    /// The time between two estimates of what the viewers' paths carry, in nanoseconds.
    static let rateInterval: Int64 = 50_000_000

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
        var path = viewer.path ?? ViewerPath(for: viewer, limits: limits)
        path.change(limits)
        if let output = viewer.output {
            path.observe(output, lag: { undelivered(to: viewer, output, in: audience, at: now) }, at: now)
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
            viewer.path?.received(sent: packet.sentAt, arrival: arrival, byteCount: track.meanPacketByteCount)
        }
        viewer.path?.endOfFeedback(at: now)
    }

    /// Time that has not reached a client, in nanoseconds: of media that are not sent, and of those that it has not read.
    private func undelivered(
        to viewer: Viewer, _ output: TCPOutput, in audience: Audience, at now: MonotonicTime
    ) -> Int64 {
        // A client reads its fast start as fast as it can.
        guard viewer.transport(at: now).countsUnread else { return 0 }
        let waiting = viewer.follower.lag(
            in: audience.view, over: ViewerTransport(output: output, countsUnread: false), at: now)
        return (waiting ?? 0) &+ Int64(output.unreadByteCount(at: now))
            &* duration(ofByteFor: viewer, in: audience.view)
    }

    /// How much time a byte that the client has not read stands for, in nanoseconds: media time, or if the viewer gets less than its path
    /// carries, the time that the path needs. Otherwise a keyframe of a small substream would look like a long queue.
    private func duration(ofByteFor viewer: Viewer, in view: FeedView<PacketRun>) -> Int64 {
        guard let rate = viewer.path?.estimate.rate.bitsPerSecond, rate > 0, viewer.renditions?.isReduced == true else {
            return view.nanosecondsPerByte
        }
        return min(view.nanosecondsPerByte, 8_000_000_000 / rate)
    }
}

extension ViewerPath {
    init(for viewer: Viewer, limits: RateLimits) {
        let isRepaired = viewer.output != nil || viewer.repair != nil
        self.init(
            limits: limits, repair: isRepaired ? .works : .none,
            countsRepairedAsLost: viewer.leadingTrack?.repair?.separatelyRepairedPackets != nil)
    }
}
