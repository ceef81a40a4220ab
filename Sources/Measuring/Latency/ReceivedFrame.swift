import Media

/// One picture as it came: facts, no judgement.
struct ReceivedFrame: Sendable {
    /// Of its RTP packets.
    let timestamp: UInt32
    /// When its first and its last packet came.
    var firstPacket: MonotonicTime
    var lastPacket: MonotonicTime
    /// With RTP headers.
    var packetByteCount: Int
    var packetCount: Int
    /// Whether it is an IDR picture; for codecs that Apus cannot read, never.
    var isKey = false
    /// Whether no packet of it is missing.
    var isWhole = true
    /// What its SEI says of its capture.
    var stamp: CaptureTimestamp?
    /// When the decoder handed it out; `nil` where it did not.
    var decoded: MonotonicTime?
}

/// A packet of sound as it came.
struct ReceivedAudio: Sendable {
    let timestamp: UInt32
    let arrival: MonotonicTime
    let byteCount: Int
}

/// A sender report as it came.
struct ReceivedReport: Sendable {
    /// The instant that `timestamp` denotes, which is also when it was sent (RFC 3550, section 6.4.1).
    let time: NTPTime
    let timestamp: UInt32
    let arrival: MonotonicTime
}
