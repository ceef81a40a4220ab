import Media
import RTP

/// Opens sessions and receives their events. All calls are on the thread of the loop.
public protocol SessionOwner: AnyObject {
    /// Called once per turn of the loop, first when the loop starts, to open, close and pace sessions.
    ///
    /// - Returns: the latest time of the next call; `nil` to stop the loop.
    func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime?

    /// A session reached a milestone.
    func session(_ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime)

    /// A session received an RTP packet.
    func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket)

    /// A session received a sender report of a track.
    func session(
        _ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime)
}
