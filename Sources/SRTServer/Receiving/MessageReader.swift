import CSRT
import Media
import Reactor

/// Reads the messages that libsrt has for a connection. All connections of the thread share its buffer. Confined to the thread.
final class MessageReader {
    /// A message of live mode has at most 1 456 bytes (`SRT_LIVE_MAX_PLSIZE`).
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_500, alignment: 16)
    /// Messages of one connection that are read in one turn: 5 ms at 100 Mbit/s. The rest stays ready.
    private static let messagesPerTurn = 64

    deinit {
        buffer.deallocate()
    }

    /// Gives each message, its number and the time at which it was due, which is SRT's latency after it was sent, to `body`, until that
    /// returns false.
    ///
    /// - Returns: false if the connection is broken.
    func read(
        _ socket: SRTSocket, at now: MonotonicTime,
        _ body: (_ message: RawSpan, _ number: Int32, _ due: MonotonicTime) -> Bool
    ) -> Bool {
        // libsrt's clock is a monotonic one, but not always the one of `MonotonicTime`.
        let libraryNow = apus_srt_now()
        for _ in 0..<Self.messagesPerTurn {
            var (sourceTime, number): (Int64, Int32) = (0, 0)
            let count = apus_srt_receive(
                socket.number, buffer.baseAddress, Int32(buffer.count), &sourceTime, &number)
            guard count >= 0 else { return false }
            guard count > 0 else { return true }
            // A peer without time stamps has 0. A minute, which is not believed, cannot overflow.
            let microseconds = sourceTime > 0 ? min(max(0, libraryNow &- sourceTime), 60_000_000) : 0
            let due = now + -microseconds * 1_000
            let message = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
            guard body(message.bytes, number, due) else { return true }
        }
        return true
    }

    /// Reads and drops what a viewer sends.
    ///
    /// - Returns: false if the connection is broken.
    func drain(_ socket: SRTSocket, at now: MonotonicTime) -> Bool {
        read(socket, at: now) { _, _, _ in true }
    }
}
