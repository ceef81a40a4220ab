import Delivery
import Media
import RTMP
import Streams

/// The sending half of a connection over which media is sent. A message that the socket has taken in part is kept by reference, not copied.
/// Confined to the loop.
public final class MessageTransport {
    /// A message of which a part has been sent.
    private struct Partial {
        let head: [UInt8]
        /// Shared with the feed's ring and with other receivers.
        let payload: [UInt8]
        var sentByteCount = 0

        var byteCount: Int { head.count + payload.count }
    }

    let output: TCPOutput
    private var partial: Partial?
    /// Answers that came while a part of a message was sent: nothing may stand inside a message.
    private var answers: [UInt8] = []

    public init(_ output: TCPOutput) {
        self.output = output
    }

    /// Whether a message can be sent now.
    public var isFree: Bool {
        partial == nil && output.pendingByteCount == 0 && !output.isBlocked && output.failure == nil
    }

    /// Bytes of answers that wait.
    public var pendingByteCount: Int { output.pendingByteCount + answers.count }

    /// Whether everything has been sent.
    public var isEmpty: Bool { partial == nil && output.pendingByteCount == 0 }

    /// Sends bytes between two messages.
    public func append(_ bytes: [UInt8]) {
        if partial == nil { output.append(bytes) } else { answers += bytes }
    }

    /// Sends a message, or begins to.
    func send(_ head: [UInt8], _ payload: [UInt8], at now: MonotonicTime) {
        precondition(partial == nil, "one message is sent after the other")
        partial = Partial(head: head, payload: payload)
        flush(at: now)
    }

    /// Sends what waits.
    ///
    /// - Returns: whether nothing waits any more.
    @discardableResult
    public func flush(at now: MonotonicTime) -> Bool {
        guard !output.isBlocked else { return false }
        guard var current = partial else {
            if output.pendingByteCount > 0 { output.flush(at: now) }
            return isFree
        }
        current.sentByteCount += output.write(current.head, current.payload, from: current.sentByteCount, at: now)
        guard current.sentByteCount == current.byteCount else {
            partial = current
            return false
        }
        partial = nil
        if !answers.isEmpty {
            output.append(answers)
            answers = []
        }
        return isFree
    }
}

/// What the peer's kernel holds does not count: VLC and others read as slowly as they play, and keep their buffer there. So a peer is late
/// only once its window is full, as over HTTP.
extension MessageTransport: FollowerTransport {
    public var lastProgress: MonotonicTime? { output.lastProgress }

    public func unreadByteCount(at now: MonotonicTime) -> Int {
        pendingByteCount + (partial.map { $0.byteCount - $0.sentByteCount } ?? 0)
    }

    public func isDrained(at now: MonotonicTime) -> Bool { isFree }

    /// Bytes that it has taken and that the peer has not read, as an estimate.
    public func heldByteCount(at now: MonotonicTime) -> Int {
        output.unreadByteCount(at: now) + unreadByteCount(at: now)
    }
}
