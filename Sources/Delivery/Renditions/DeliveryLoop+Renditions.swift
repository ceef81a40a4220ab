import Media
import RateControl
import Streams

// MARK: Beginning a move

extension DeliveryLoop {
    /// Chooses a rendition for a viewer, whatever its path carries. The viewer moves at the next keyframe.
    ///
    /// - Parameter path: that of the rendition; `nil` lets the estimate of the viewer's path decide again.
    public func fixRendition(of viewer: Viewer, to path: String?, at now: MonotonicTime) -> RenditionOutcome {
        guard let outcome = viewer.renditions?.fix(to: path, at: now) else { return .stays }
        return outcome ? .chosen : .noSuchRendition
    }

    /// Chooses a rendition for a viewer by what its path carries, and begins, continues or cancels its move there.
    func chooseRendition(for viewer: Viewer, at now: MonotonicTime) {
        guard let estimate = viewer.path?.estimate,
            let wanted = viewer.renditions?.choose(by: estimate, at: now)
        else { return }
        if wanted === viewer.renditions?.current { return cancelMove(of: viewer) }
        if viewer.renditions?.move?.target !== wanted {
            cancelMove(of: viewer)
            viewer.renditions?.beginMove(to: wanted, mayDropPackets: viewer.output == nil, at: now)
        }
        pursueMove(of: viewer, at: now)
    }

    /// Lists a moving viewer where it is going, once there is a feed, and tries to get the keyframe that it needs.
    private func pursueMove(of viewer: Viewer, at now: MonotonicTime) {
        guard var move = viewer.renditions?.move else { return }
        if move.feed == nil, let target = audience(of: viewer, at: move.target) {
            move.feed = target.feed.id
            target.arrivals.append(viewer)
            hasArrivals = true
        }
        if move.feed != nil { move.tryAgain(at: now) }
        if move.isDescent { viewer.isHeld = move.isHeld(at: now) }
        viewer.renditions?.move = move
    }

    /// The audience of a rendition for a viewer; `nil` if it has no input yet, or tracks that the viewer was not promised.
    private func audience(of viewer: Viewer, at rendition: Stream) -> Audience? {
        guard let present = audience(of: viewer), let target = makeAudience(of: rendition, for: viewer) else {
            return nil
        }
        if present.feed.tracks.isCompatible(with: target.feed.tracks) { return target }
        removeIfEmpty(target)
        return nil
    }

    /// The viewer stays where it is.
    func cancelMove(of viewer: Viewer) {
        guard let move = viewer.renditions?.move else { return }
        viewer.renditions?.move = nil
        viewer.isHeld = false
        guard let target = move.feed.flatMap({ audiences[$0] }) else { return }
        target.arrivals.removeAll { $0 === viewer }
        removeIfEmpty(target)
    }
}

// MARK: Completing a move

extension DeliveryLoop {
    /// Moves the viewers for which a keyframe has come. A turn begins with it: all batches are empty, so that no message can be given
    /// back for the feed that a viewer leaves, and no viewer has been sent what is new.
    func admitArrivals(at now: MonotonicTime) {
        hasArrivals = false
        for audience in audiences.values { audience.updateView() }
        for target in audiences.values where !target.arrivals.isEmpty {
            for viewer in target.arrivals { admit(viewer, to: target, at: now) }
            if !target.arrivals.isEmpty { hasArrivals = true }
        }
    }

    private func admit(_ viewer: Viewer, to target: Audience, at now: MonotonicTime) {
        guard viewer.isPlaying, let source = audience(of: viewer), let leading = viewer.place?.leading,
            let move = viewer.renditions?.move
        else { return }
        guard
            let crossing = FeedCrossing(
                of: viewer.follower, from: source.view, to: target.view, trackCount: target.feed.tracks.count,
                leading: leading, isUrgent: move.isDescent)
        else { return wait(for: viewer, leading, from: source, to: target, at: now) }
        transmitter.statistics.droppedUnits += UInt64(crossing.skippedCount)
        cross(viewer, from: source, to: target, by: crossing)
        viewer.renditions?.completeMove()
        let isChosen = viewer.renditions?.fixed === move.target
        if let reason = isChosen ? .chosen : viewer.path.map({ MoveReason.path($0.estimate) }) {
            events.append(.moved(viewer, to: move.target, because: reason))
        }
    }

    /// Lets a moving viewer wait for its keyframe.
    private func wait(
        for viewer: Viewer, _ leading: TrackID, from source: Audience, to target: Audience, at now: MonotonicTime
    ) {
        if viewer.renditions?.move?.isDescent == false {
            viewer.isHeld = FeedCrossing.waits(viewer.follower, in: source.view, for: target.view, leading: leading)
        }
        requestKeyframe(for: viewer, leading, from: source, to: target, at: now)
    }

    /// Requests the keyframe that a moving viewer needs. If the target is encoded later, the next frame there may be one that the viewer
    /// has had of the other rendition, so the target must have come as far first.
    private func requestKeyframe(
        for viewer: Viewer, _ leading: TrackID, from source: Audience, to target: Audience, at now: MonotonicTime
    ) {
        guard viewer.renditions?.move?.needsKeyframe == true else { return }
        let sent = source.view.lastTime(of: leading, before: viewer.follower.position.index)
        let newest = target.view.lastTime(of: leading, before: target.view.endIndex)
        if let sent, let newest, newest < sent { return }
        if target.stream.requestKeyframe(at: now) == nil { viewer.renditions?.move?.needsKeyframe = false }
    }

    private func cross(_ viewer: Viewer, from source: Audience, to target: Audience, by crossing: FeedCrossing) {
        target.arrivals.removeAll { $0 === viewer }
        source.remove(viewer)
        viewer.cross(by: crossing)
        target.insert(viewer)
        removeIfEmpty(source)
    }

    /// Returns a viewer whose rendition has ended to the stream of its URL, at the next keyframe.
    ///
    /// - Returns: false if it is there already, or cannot return.
    func returnHome(_ viewer: Viewer, at now: MonotonicTime) -> Bool {
        guard let renditions = viewer.renditions, renditions.isReduced,
            let source = audience(of: viewer), let target = audience(of: viewer, at: renditions.home),
            target !== source
        else { return false }
        cancelMove(of: viewer)
        // Its messages must not be given back for the feed that it leaves.
        flush()
        cross(viewer, from: source, to: target, by: FeedCrossing(toTheEndOf: target.view))
        viewer.renditions?.returnedHome()
        target.requestKeyframe(at: now)
        return true
    }
}
