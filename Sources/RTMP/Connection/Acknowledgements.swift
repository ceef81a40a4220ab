/// The flow control of a connection in both directions (Adobe's RTMP specification, sections 5.4.3 to 5.4.5).
///
/// The peer reports what it has received whenever that is a window more than before. So the bytes in flight are known to within a window.
struct Acknowledgements: Sendable {
    /// The window that we announce, and that we assume of a peer that announces none: that of librtmp and FFmpeg.
    static let windowByteCount: UInt32 = 2_500_000

    private var peerWindowByteCount = windowByteCount
    private var receivedByteCount: UInt64 = 0
    private var reportedByteCount: UInt64 = 0
    private(set) var sentByteCount: UInt64 = 0
    private var acknowledgedByteCount: UInt64?

    /// Bytes have come.
    mutating func received(byteCount: Int) {
        receivedByteCount += UInt64(byteCount)
    }

    /// The acknowledgement to send; `nil` if none is due.
    mutating func due() -> ControlMessage? {
        guard receivedByteCount - reportedByteCount >= UInt64(peerWindowByteCount) else { return nil }
        reportedByteCount = receivedByteCount
        return .acknowledgement(byteCount: UInt32(truncatingIfNeeded: receivedByteCount))
    }

    /// Bytes have been sent.
    mutating func sent(byteCount: Int) {
        sentByteCount += UInt64(byteCount)
    }

    /// The peer has announced its window. Windows below a kilobyte would cost more than they tell.
    mutating func receivedWindow(byteCount: UInt32) {
        peerWindowByteCount = max(byteCount, 1024)
    }

    /// The peer has received this many bytes, modulo 2³². Some peers do not count the handshake, and some count wrongly, so more than
    /// was sent means all.
    mutating func receivedAcknowledgement(byteCount: UInt32) {
        let inFlight = UInt32(truncatingIfNeeded: sentByteCount) &- byteCount
        acknowledgedByteCount = sentByteCount - min(inFlight < 0x8000_0000 ? UInt64(inFlight) : 0, sentByteCount)
    }

    /// Bytes that the peer has not acknowledged; `nil` before its first acknowledgement.
    var bytesInFlight: UInt64? {
        acknowledgedByteCount.map { sentByteCount - $0 }
    }
}
