import Delivery
import Media
import Streams
import Synchronization

/// A stream that is published to another server, again and again until it is stopped. A media loop carries it out
/// (``ForwardLoops``). Thread-safe.
public final class Forward: Sendable {
    public let stream: Streams.Stream
    let plan: any ForwardPlan
    let observer: any ForwardObserver
    /// Makes the source of an on-demand stream run; `nil` if the forward alone does not need it.
    private let use: StreamUse?
    private let record: Mutex<ForwardStatus>
    /// The orders of the loop that carries it out.
    private let loop = Mutex<Mailbox<ForwardOrder>?>(nil)

    /// - Parameter holdsStream: whether the stream is needed as long as the forward exists, as by a viewer.
    public init(
        _ plan: any ForwardPlan, of stream: Streams.Stream, holdsStream: Bool, observer: any ForwardObserver,
        at now: MonotonicTime
    ) {
        (self.plan, self.stream, self.observer) = (plan, stream, observer)
        use = holdsStream ? StreamUse(of: stream) : nil
        record = Mutex(ForwardStatus(at: now))
    }

    /// What it does now. The counts may be half a second old.
    public var status: ForwardStatus { record.withLock(\.self) }

    /// Whether it was stopped, and has told the server.
    var hasEnded: Bool { record.withLock(\.hasEnded) }

    /// Begins it on a loop.
    func start(on loop: Mailbox<ForwardOrder>, after former: Forward?) {
        self.loop.withLock { $0 = loop }
        loop.put(.start(self, after: former))
    }

    /// Ends it: the server is told, and nothing is tried again. Returns at once.
    public func stop() {
        loop.withLock(\.self)?.put(.stop(self))
    }

    /// The server takes the stream now. Called by a session, on its loop.
    public func began(at now: MonotonicTime) {
        note { $0.changed(to: .forwarding, at: now) }
        observer.forwardBegan(at: now)
    }

    /// Changes the status. Called by a session, on its loop.
    public func note(_ change: (inout ForwardStatus) -> Void) {
        record.withLock { change(&$0) }
    }
}

/// Told of what becomes of a forward, on the thread of its loop. Must not block.
public protocol ForwardObserver: Sendable {
    /// The server takes the stream now.
    func forwardBegan(at now: MonotonicTime)

    /// A session with the server has ended, or was not established.
    ///
    /// - Parameter start: when the attempt began.
    /// - Returns: after how many milliseconds the server is tried again.
    func forwardEnded(_ end: ForwardEnd, startedAt start: MonotonicTime, at now: MonotonicTime) -> Int64
}

/// What a forward does, and what it has sent since it was made.
public struct ForwardStatus: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The stream has no media now.
        case waiting
        case connecting
        case forwarding
        /// The last session has failed, and the next has not been established.
        case failing
    }

    public private(set) var state = State.waiting
    /// The start of this state.
    public private(set) var since: MonotonicTime
    /// When the server is tried again; `nil` while it is being tried.
    public private(set) var nextTry: MonotonicTime?
    /// Packets of RTP, or messages of RTMP.
    public private(set) var packets: UInt64 = 0
    /// Bytes of media.
    public private(set) var bytes: UInt64 = 0
    /// Units that were skipped because the server did not keep up.
    public private(set) var droppedUnits: UInt64 = 0
    /// How many sessions were ended or failed after one had been tried before.
    public private(set) var reconnects = 0
    /// Why the last session has ended; `nil` before the first end.
    public private(set) var lastReason: String?
    /// Whether it was stopped, and nothing of it is left.
    var hasEnded = false

    init(at now: MonotonicTime) { since = now }

    /// A forward that cannot even begin.
    public static func failed(because reason: String, at now: MonotonicTime) -> Self {
        var status = Self(at: now)
        (status.state, status.lastReason) = (.failing, reason)
        return status
    }

    /// While it fails, it stays so until the server takes the stream.
    public mutating func changed(to state: State, nextTry: MonotonicTime? = nil, at now: MonotonicTime) {
        self.nextTry = nextTry
        if self.state == .failing, state == .connecting { return }
        if self.state != state { (self.state, since) = (state, now) }
    }

    /// A session has ended, and another one follows.
    mutating func ended(because reason: String) {
        lastReason = reason
        reconnects += 1
    }

    /// Adds what was sent since the last call. The numbers can be a little below 0, if the kernel gave messages back.
    public mutating func add(packets: Int64, bytes: Int64, droppedUnits: UInt64) {
        self.packets = UInt64(clamping: Int64(clamping: self.packets) + packets)
        self.bytes = UInt64(clamping: Int64(clamping: self.bytes) + bytes)
        self.droppedUnits += droppedUnits
    }
}
