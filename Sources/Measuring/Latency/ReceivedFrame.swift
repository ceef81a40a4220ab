import Media

/// One frame as it was received.
struct ReceivedFrame: Sendable {
    /// The RTP timestamp.
    let timestamp: UInt32
    /// When the first and the last packet arrived.
    var firstPacket: MonotonicTime
    var lastPacket: MonotonicTime
    /// Including RTP headers.
    var packetByteCount: Int
    var packetCount: Int
    /// The packets among them that were lost, and arrived on request in time.
    var repairedPacketCount = 0
    /// Whether the frame is a keyframe (IDR picture); always `false` for codecs other than H.264.
    var isKey = false
    /// Whether all packets arrived.
    var isWhole = true
    /// The capture time in the frame's SEI.
    var captureTimestamp: CaptureTimestamp?
    /// When the decoder returned the frame; `nil` if it did not.
    var decoded: MonotonicTime?
}

/// An audio packet as it was received.
struct ReceivedAudio: Sendable {
    let timestamp: UInt32
    let arrival: MonotonicTime
    let byteCount: Int
}

/// A sender report as it was received.
struct ReceivedReport: Sendable {
    /// The time that `timestamp` denotes, at which the report was sent (RFC 3550, section 6.4.1).
    let time: NTPTime
    let timestamp: UInt32
    let arrival: MonotonicTime
}
