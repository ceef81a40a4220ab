/// The durations that a playlist promises, and may never change (RFC 8216bis, sections 4.4.3.1 and 4.4.3.7).
public struct SegmentTiming: Hashable, Sendable {
    /// `EXT-X-TARGETDURATION`. No segment is longer, if its duration is rounded to seconds.
    public let targetSeconds: Int
    /// `PART-TARGET` in nanoseconds. No part is longer.
    public let partTarget: Int64
    /// Nanoseconds between two frames of the leading track, when the playlist began.
    public let frameInterval: Int64

    /// A longer segment is divided at a frame that is no keyframe, because clients stay three segments behind.
    static let maximumTargetSeconds = 10

    /// - Parameters:
    ///   - longestGroup: nanoseconds between two keyframes that the source has sent; 0 if it makes them when asked.
    ///   - frameInterval: nanoseconds.
    init(longestGroup: Int64, frameInterval: Int64, _ options: SegmenterOptions) {
        let second: Int64 = 1_000_000_000
        let configured = (options.segmentDuration + second - 1) / second
        let needed = min((longestGroup + second / 2) / second, Int64(Self.maximumTargetSeconds))
        targetSeconds = Int(max(configured, needed, Int64(options.minimumTargetSeconds)))
        self.frameInterval = max(frameInterval, 1_000_000)
        // Capture times vary by some milliseconds, so some parts have a frame's worth more. With a twentieth of a frame, 25 frames a
        // second are five frames per part, although a frame takes slightly more than 40 ms.
        let frameCount = max(1, (options.partDuration + self.frameInterval / 20) / self.frameInterval)
        // Parts have 85 to 100 % of the target (section 4.4.4.9), so the expected duration is in the middle.
        let expected = min(frameCount * self.frameInterval, Int64(targetSeconds) * second)
        partTarget = (expected * 1_000 / 925 + 999_999) / 1_000_000 * 1_000_000
    }

    /// The longest segment in nanoseconds: it is still rounded to the target.
    var longestSegment: Int64 { Int64(targetSeconds) * 1_000_000_000 + 499_000_000 }

    /// How long nothing may come until the source counts as absent, in nanoseconds. A client that finds the playlist unchanged for one
    /// and a half target durations may report it as failed.
    var patience: Int64 { max(Int64(targetSeconds) * 1_500_000_000, 2_000_000_000) }
}
