import Media

/// The way of one picture from capture to the wire: the instants at which it passed each station, on the monotonic clock.
///
/// Without a picture, of one frame of sound.
public struct FrameTrace: Hashable, Sendable {
    /// Of pictures that are coded here: from 0, those that were left out counted.
    public var frameNumber: UInt32?
    /// When the light was captured; of a pipe or a file, when its turn came.
    public let captured: MonotonicTime
    /// Of pictures that are coded here: when the encoder was given it.
    public var encoderIn: MonotonicTime?
    /// When the encoder had coded it.
    public var encoderOut: MonotonicTime?
    /// When all feeds had it as packets.
    public var packaged: MonotonicTime?
    /// When the first call began that hands packets of it to the kernel; `nil` while nobody watches.
    public var firstSent: MonotonicTime?
    /// When the last such call came back, of a loop's viewers who keep up.
    public var lastSent: MonotonicTime?

    /// Nanoseconds of coding that were done before the instant of capture: of a file that is transcoded. The wait between the
    /// two is not counted, because it delays nothing.
    var codedAhead: Int64 {
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

/// What lies between two stations.
public enum Stage: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
    /// Capture → encoder in: the driver's, the effects'.
    case capture
    /// Encoder in → encoder out.
    case encoding
    /// Encoder out → packaged; from capture on where nothing is coded here.
    case packaging
    /// Packaged → first byte sent: waking up the loop.
    case waiting
    /// First byte sent → last byte sent: to all viewers of one loop.
    case sending
    /// Capture → last byte sent, and coding that was done before the instant of capture.
    case whole
}
