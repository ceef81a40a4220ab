import Media
import Streams

/// How viewers are served.
extension SRTService {
    /// Sends what is new to all viewers.
    func serveAudiences(at now: MonotonicTime) {
        let updated = audiences.values.filter { $0.update(at: now) }.map(ObjectIdentifier.init)
        for connection in connections.values {
            guard case .viewing(let viewer, let audience) = connection.role else { continue }
            guard !audience.hasEnded else {
                let stream = viewer.path.stream
                let (departure, reason) =
                    stream.hasEnded
                    ? (ViewerCounts.Departure.streamEnded, "the stream has ended")
                    : (.changed, "the tracks of the stream have changed")
                end(connection, departure, because: reason, at: now)
                continue
            }
            let isBehind = viewer.sender.follower.backlog != .none || viewer.sender.follower.isInFastStart
            if isBehind || updated.contains(ObjectIdentifier(audience)) { serve(connection, at: now) }
        }
    }

    /// Sends a viewer what is new.
    func serve(_ connection: Connection, at now: MonotonicTime) {
        guard case .viewing(let viewer, let audience) = connection.role else { return }
        var wantsKeyframe = false
        let result = viewer.sender.serve(
            in: audience.view, by: context.options.policy, wantsKeyframe: &wantsKeyframe, at: now)
        if wantsKeyframe { audience.requestKeyframe(at: now) }
        switch result {
        case .keepsUp, .isBehind: break
        case .stalled:
            let seconds = context.options.policy.maximumStall / 1_000_000_000
            end(connection, .stalled, because: "the client took no data for \(seconds) s", at: now)
        case .broken: end(connection, .connectionClosed, because: "the connection has ended", at: now)
        }
    }
}
