import Media
import Reactor
import TLS

/// The sending half of an RTSP connection: replies and interleaved packets on one byte stream, never one inside the other.
///
/// What the socket takes only in part leaves the rest of that one packet or reply here, inside TLS that of one record; nothing
/// else queues: the media's backlog stays in the feed's ring. Confined to its loop.
public final class TCPOutput {
    public let socket: TCPSocket
    /// What all bytes go through on their way; `nil` where they are sent as they are.
    public let tls: TLSConnection?
    /// Bytes that must leave before anything else: replies, reports, the rest of a packet that was cut. Of TLS, it has them.
    private var pending: [UInt8] = []

    /// Whether the socket took less than it was given: the owner waits until it is writable.
    public private(set) var isBlocked = false {
        didSet {
            guard isBlocked != oldValue else { return }
            isMeasurementStale = true
            whenChanged?()
        }
    }
    /// Set once a write has failed for good: the connection is over.
    public private(set) var failure: SystemError? { didSet { whenChanged?() } }
    /// Called when the owner should look here before the turn ends: bytes wait, or one of these two has changed.
    public var whenChanged: (() -> Void)?
    /// When the socket last took a byte.
    public private(set) var lastProgress: MonotonicTime

    /// The most room that the client has had since it last had read everything.
    private var widestWindow: Int
    /// What was measured last. Less unread than before means that the client reads.
    private var lastUnread = 0
    private var lastUnacknowledged = 0
    private var lastMeasurement = MonotonicTime(nanoseconds: .min / 2)
    /// Whether the socket took bytes, or became writable, since then.
    private var isMeasurementStale = true
    /// How often the kernel was asked.
    private(set) var measurementCount = 0

    /// Between two measurements while the socket takes nothing, in nanoseconds: each is two system calls, and hundreds of clients
    /// may have stopped reading.
    static let measurementInterval: Int64 = 50_000_000

    /// - Parameter tls: what all bytes are to go through.
    public init(socket: consuming TCPSocket, tls: TLSConnection? = nil, at now: MonotonicTime) {
        widestWindow = socket.peerWindowByteCount ?? 0
        self.socket = socket
        self.tls = tls
        lastProgress = now
    }

    /// Bytes that wait here.
    public var pendingByteCount: Int { tls?.output.count ?? pending.count }

    /// Adds bytes that leave with the next `flush` or packet.
    public func append(_ bytes: some Collection<UInt8>) {
        if let tls {
            tls.write(bytes)
        } else {
            pending.append(contentsOf: bytes)
        }
        whenChanged?()
    }

    /// Nothing is added any more. Inside TLS the client is told, so that it can tell the end from a connection that was cut.
    public func finish() {
        tls?.close()
    }

    /// Hands what waits to the socket.
    public func flush(at now: MonotonicTime) {
        if let tls { return flush(tls, at: now) }
        var start = 0
        // What has left is let go of even if more waits: a client that never reads all would make this grow for ever.
        defer { pending.removeFirst(start) }
        while start < pending.count, failure == nil {
            let outcome = pending.withUnsafeBytes { bytes in
                socket.write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
            guard let taken = note(outcome, at: now) else { return }
            start += taken
        }
        isBlocked = false
    }

    private func flush(_ tls: TLSConnection, at now: MonotonicTime) {
        while tls.output.count > 0, failure == nil {
            guard let taken = note(socket.write(tls.output), at: now) else { return }
            tls.sent(taken)
        }
        isBlocked = false
    }

    /// Bytes written that the client has not read, as far as can be known: what is not acknowledged, and by how much the
    /// client's window is narrower than it was. While the socket takes nothing, it may be `measurementInterval` old.
    func unreadByteCount(at now: MonotonicTime) -> Int {
        if isMeasurementStale || now - lastMeasurement >= Self.measurementInterval { measure(at: now) }
        return lastUnread
    }

    private func measure(at now: MonotonicTime) {
        (lastMeasurement, isMeasurementStale) = (now, false)
        measurementCount += 1
        let window = socket.peerWindowByteCount ?? widestWindow
        widestWindow = max(widestWindow, window)
        lastUnacknowledged = socket.unacknowledgedByteCount
        let unread = lastUnacknowledged + widestWindow - window
        if unread < lastUnread { lastProgress = now }
        lastUnread = unread
    }

    /// Whether the client has read what it was sent, so that a new picture would be seen soon.
    ///
    /// Windows are told in steps of up to half a buffer, and may stay narrower than they were: when nothing has changed for
    /// 400 ms, there is nothing left to read, and the window is as wide as it gets now.
    func isDrained(at now: MonotonicTime) -> Bool {
        let unread = unreadByteCount(at: now)
        guard pendingByteCount == 0, lastUnacknowledged == 0 else { return false }
        if unread <= widestWindow / 4 { return true }
        guard now - lastProgress > 400_000_000 else { return false }
        widestWindow -= unread
        lastUnread = 0
        return true
    }

    /// Writes what waits, then the batch's packets in one call.
    ///
    /// - Returns: how many packets are out of the caller's hands: sent whole, or cut, with the rest kept here.
    func write(_ batch: InterleavedBatch, at now: MonotonicTime) -> Int {
        if pendingByteCount > 0 { flush(at: now) }
        guard pendingByteCount == 0, failure == nil else { return 0 }
        if let tls { return write(batch, through: tls, at: now) }
        guard let taken = note(socket.write(batch.parts), at: now) else { return 0 }
        let (packets, isSplit) = batch.packets(coveredBy: taken) { pending.append(contentsOf: $0) }
        if isSplit || packets < batch.packetCount { isBlocked = true }
        return packets
    }

    /// Writes the batch's packets record by record, each once the one before has left: so one record waits here at most, and a
    /// packet is never in two.
    private func write(_ batch: InterleavedBatch, through tls: TLSConnection, at now: MonotonicTime) -> Int {
        var packets = 0
        while packets < batch.packetCount, pendingByteCount == 0, failure == nil, tls.failure == nil {
            let record = batch.piece(from: packets, capacity: TLSConnection.recordByteCount)
            tls.write(record.bytes)
            packets += record.packetCount
            flush(at: now)
        }
        guard tls.failure != nil else { return packets }
        // The connection is over, as its owner will see: what follows is out of everybody's hands.
        whenChanged?()
        return batch.packetCount
    }

    /// Takes account of what became of a write: the bytes taken, or `nil` where there were none.
    private func note(_ outcome: WriteOutcome, at now: MonotonicTime) -> Int? {
        switch outcome {
        case .wrote(let byteCount):
            lastProgress = now
            isMeasurementStale = true
            isBlocked = false
            return byteCount
        case .wouldBlock:
            isBlocked = true
        case .failed(let error):
            failure = error
        }
        return nil
    }
}
