/// How the capture times of a received stream are determined.
public enum CaptureTimeOrigin: String, CaseIterable, Hashable, Sendable, Codable {
    /// By the arrival of the unit with the least delay; the RTP timestamps give the distance of all others from it.
    case arrival
    /// By the sender reports, which relate the tracks to each other; the report with the least delay relates them to the arrival.
    case senderReports = "sender-reports"
    /// By the sender reports, with the sender's own time of day.
    case senderClock = "sender-clock"
}
