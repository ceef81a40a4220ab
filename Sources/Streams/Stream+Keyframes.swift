import Media

extension Stream {
    /// Requests a keyframe from the source, within the stream's limit.
    ///
    /// - Returns: when to ask again if the limit does not allow it now.
    @discardableResult
    public func requestKeyframe(at now: MonotonicTime) -> MonotonicTime? {
        requestKeyframe { $0.requested(at: now) }
    }

    /// Requests a keyframe because a client has reported lost packets: at most one per second.
    ///
    /// - Returns: when to ask again if the limit does not allow it now.
    public func requestKeyframe(afterLossAt now: MonotonicTime) -> MonotonicTime? {
        requestKeyframe { $0.reportedLoss(at: now) }
    }

    private func requestKeyframe(
        _ ask: (inout KeyframeRequestLimiter) -> KeyframeRequestLimiter.Answer
    ) -> MonotonicTime? {
        let (answer, source) = state.withLock { (ask(&$0.limiter), $0.source) }
        switch answer {
        case .granted:
            source?.requestKeyframe()
            return nil
        case .alreadyRequested:
            return nil
        case .notBefore(let instant):
            return instant
        }
    }
}
