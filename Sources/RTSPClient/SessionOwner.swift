import Media

/// Who opens sessions and hears of them. It lives on their loop's thread and is told everything there.
public protocol SessionOwner: AnyObject {
    /// Once per turn of the loop, first when that starts: opens, closes and paces sessions.
    ///
    /// - Returns: The instant at which it wants to be called next, at the latest; `nil` to end the loop.
    func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime?

    /// A session has come further.
    func session(_ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime)

    /// A session received an RTP packet.
    func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket)

    /// A session received a sender report at `arrival`: on `track`, `timestamp` denotes the instant `time`.
    func session(
        _ number: SessionNumber, track: Int, reported time: NTPTime, timestamp: UInt32, arrival: MonotonicTime)
}
