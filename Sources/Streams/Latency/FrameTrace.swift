import Media

/// The instants at which one frame passed each stage from capture to the wire, on the monotonic clock.
///
/// If the stream has no video, it traces audio frames.
public struct FrameTrace: Hashable, Sendable {
    /// The number of a frame that was encoded here, counted from 0; skipped frames count too.
    public var frameNumber: UInt32?
    /// When the frame was exposed; for a pipe or a file, when the frame was due.
    public let captured: MonotonicTime
    /// When the encoder received the frame; `nil` if the frame was not encoded here.
    public var encoderIn: MonotonicTime?
    /// When the encoder returned the frame.
    public var encoderOut: MonotonicTime?
    /// When all feeds had packaged the frame.
    public var packaged: MonotonicTime?
    /// When the first system call began that sends packets of the frame; `nil` while there is no viewer.
    public var firstSent: MonotonicTime?
    /// When the last such system call returned, not counting viewers that do not keep up.
    public var lastSent: MonotonicTime?

    /// Nanoseconds of encoding before the instant of capture, as with a transcoded file. The wait between the two is not counted,
    /// because it delays nothing.
    var encodedAhead: Int64 {
        guard let encoderIn, let encoderOut else { return 0 }
        return max(0, min(encoderOut, captured) - encoderIn)
    }

    init(captured: MonotonicTime) {
        self.captured = captured
    }

    init(_ unit: AccessUnit, _ clock: StreamClock) {
        captured = clock.instant(of: unit.presentationTime)
        frameNumber = unit.encodeTiming?.frameNumber
        encoderIn = unit.encodeTiming?.begin
        encoderOut = unit.encodeTiming?.end
    }
}

/// The time between two instants of a frame's trace.
public enum Stage: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
    /// Capture → encoder in: the camera driver and the effects.
    case capture
    /// Encoder in → encoder out.
    case encoding
    /// Encoder out → packaged; starts at capture if nothing is encoded here.
    case packaging
    /// Packaged → first byte sent: the wake-up of the loop.
    case waiting
    /// First byte sent → last byte sent, to all viewers of one loop.
    case sending
    /// Capture → last byte sent, plus encoding before the instant of capture.
    case whole
}
