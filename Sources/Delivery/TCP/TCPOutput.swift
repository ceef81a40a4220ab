import CLinux
import Media
import Reactor
import TLS

/// The sending half of an RTSP connection: replies and interleaved packets on one byte stream, never one inside the other.
///
/// If the socket takes only a part, the rest of that one packet or reply waits here; with TLS, the rest of one record. Nothing
/// else queues here: the backlog of the media stays in the feed's ring. Confined to its loop.
public final class TCPOutput {
    public let socket: TCPSocket
    /// The TLS connection that encrypts all bytes; `nil` without TLS.
    public let tls: TLSConnection?
    /// Bytes to send first: replies, reports, the rest of a partly sent packet. With TLS they wait in `tls`.
    private var pending: [UInt8] = []

    /// Whether the socket took less than it was given. The owner waits until it is writable.
    public private(set) var isBlocked = false {
        didSet {
            guard isBlocked != oldValue else { return }
            isMeasurementStale = true
            onChange?()
        }
    }
    /// The error of a write that failed for good: the connection is over.
    public private(set) var failure: SystemError? { didSet { onChange?() } }
    /// Called when the owner should check this output before the turn ends: bytes wait, or `isBlocked` or `failure` has changed.
    public var onChange: (() -> Void)?
    /// When the socket last took a byte.
    public private(set) var lastProgress: MonotonicTime

    /// The widest receive window of the client since it last had read everything.
    private var widestWindow: Int
    /// The last measurement of unread bytes. If it decreases, the client reads.
    private var lastUnread = 0
    private var lastUnacknowledged = 0
    private var lastMeasurement = MonotonicTime(nanoseconds: .min / 2)
    /// Whether the socket took bytes, or became writable, since the last measurement.
    private var isMeasurementStale = true
    /// How often the kernel was asked, for tests.
    private(set) var measurementCount = 0

    /// The time between two measurements while the socket takes nothing, in nanoseconds. Each costs two system calls, and
    /// hundreds of clients may have stopped reading.
    static let measurementInterval: Int64 = 50_000_000

    /// - Parameter tls: the TLS connection for all bytes, if any.
    public init(socket: consuming TCPSocket, tls: TLSConnection? = nil, at now: MonotonicTime) {
        widestWindow = socket.peerWindowByteCount ?? 0
        self.socket = socket
        self.tls = tls
        lastProgress = now
    }

    /// The round-trip time to the client, in nanoseconds; `nil` if the kernel has not measured it.
    public var roundTrip: Int64? { socket.roundTrip }

    /// Bytes written that the client's kernel has not acknowledged.
    public var unacknowledgedByteCount: Int { socket.unacknowledgedByteCount }

    /// Bytes that wait here.
    public var pendingByteCount: Int { tls?.output.count ?? pending.count }

    /// Adds bytes, which are sent with the next `flush` or packet.
    public func append(_ bytes: some Collection<UInt8>) {
        if let tls {
            tls.write(bytes)
        } else {
            pending.append(contentsOf: bytes)
        }
        onChange?()
    }

    /// Adds an RTCP packet as an interleaved frame (RFC 2326, section 10.12).
    public func append(report: [UInt8], on channel: UInt8) {
        // A report has far less than 65 536 bytes.
        let length = UInt16(truncatingIfNeeded: report.count)
        append([0x24, channel, UInt8(length >> 8), UInt8(length & 0xFF)] + report)
    }

    /// Adds a datagram as a frame of WebRTC over TCP (RFC 4571).
    public func append(datagram: UnsafeRawBufferPointer) {
        guard let length = UInt16(exactly: datagram.count) else { return }
        append([UInt8(length >> 8), UInt8(length & 0xFF)] + datagram)
    }

    /// Ends the output. With TLS it sends `close_notify`, so that the client can distinguish a clean end from a lost
    /// connection.
    public func finish() {
        tls?.close()
    }

    /// Hands the waiting bytes to the socket.
    public func flush(at now: MonotonicTime) {
        if let tls { return flush(tls, at: now) }
        var start = 0
        // Sent bytes are removed even if more wait. Otherwise a client that never reads everything would make this grow for ever.
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

    /// An estimate of the bytes written that the client has not read: unacknowledged bytes plus the shrinkage of the client's
    /// window. While the socket takes nothing, the estimate may be `measurementInterval` old.
    public func unreadByteCount(at now: MonotonicTime) -> Int {
        if isMeasurementStale || now - lastMeasurement >= Self.measurementInterval { measure(at: now) }
        return lastUnread
    }

    private func measure(at now: MonotonicTime) {
        (lastMeasurement, isMeasurementStale) = (now, false)
        measurementCount += 1
        let window = socket.peerWindowByteCount ?? widestWindow
        widestWindow = max(widestWindow, window)
        lastUnacknowledged = unacknowledgedByteCount
        let unread = lastUnacknowledged + widestWindow - window
        if unread < lastUnread { lastProgress = now }
        lastUnread = unread
    }

    /// Whether the client has read what it was sent, so that a new frame would be shown soon.
    ///
    /// Windows are reported in steps of up to half a buffer, and may stay narrower than they were. If nothing has changed for
    /// 400 ms, nothing is left to read, and the current window is the widest.
    public func isDrained(at now: MonotonicTime) -> Bool {
        let unread = unreadByteCount(at: now)
        guard pendingByteCount == 0, lastUnacknowledged == 0 else { return false }
        if unread <= widestWindow / 4 { return true }
        guard now - lastProgress > 400_000_000 else { return false }
        widestWindow -= unread
        lastUnread = 0
        return true
    }

    /// Writes the waiting bytes, then the batch's packets in one call.
    ///
    /// - Returns: how many packets need no further action by the caller: sent whole, or partly sent with the rest kept here.
    func write(_ batch: InterleavedBatch, at now: MonotonicTime) -> Int {
        if pendingByteCount > 0 { flush(at: now) }
        guard pendingByteCount == 0, failure == nil else { return 0 }
        if let tls { return write(batch, through: tls, at: now) }
        guard let taken = note(socket.write(batch.parts), at: now) else { return 0 }
        let (packets, isSplit) = batch.packets(coveredBy: taken) { pending.append(contentsOf: $0) }
        if isSplit || packets < batch.packetCount { isBlocked = true }
        return packets
    }

    /// Writes the batch's packets record by record, each after the one before has left. Therefore at most one record waits here,
    /// and no packet spans two records.
    private func write(_ batch: InterleavedBatch, through tls: TLSConnection, at now: MonotonicTime) -> Int {
        var packets = 0
        while packets < batch.packetCount, pendingByteCount == 0, failure == nil, tls.failure == nil {
            let record = batch.piece(from: packets, capacity: TLSConnection.recordByteCount)
            tls.write(record.bytes)
            packets += record.packetCount
            flush(at: now)
        }
        guard tls.failure != nil else { return packets }
        // The connection is over, and its owner will notice. The remaining packets are dropped.
        onChange?()
        return batch.packetCount
    }

    /// Writes a message behind its head in one call. What the socket does not take stays with the caller, so that a payload which many
    /// viewers share is not copied; with TLS, the rest of one record stays here.
    ///
    /// - Parameter offset: the bytes of head and payload, counted together, that were taken before.
    /// - Returns: how many more bytes were taken.
    public func write(_ head: [UInt8], _ payload: [UInt8], from offset: Int, at now: MonotonicTime) -> Int {
        if pendingByteCount > 0 { flush(at: now) }
        guard pendingByteCount == 0, failure == nil else { return 0 }
        return head.withUnsafeBytes { head in
            payload.withUnsafeBytes { payload in
                let first = UnsafeRawBufferPointer(rebasing: head[min(offset, head.count)...])
                let second = UnsafeRawBufferPointer(rebasing: payload[max(0, offset - head.count)...])
                return tls == nil ? write(first, second, at: now) : writeRecords(first, second, at: now)
            }
        }
    }

    private func write(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, at now: MonotonicTime
    ) -> Int {
        let outcome = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
            parts.initializeElement(at: 0, to: iovec(readingFrom: first))
            parts.initializeElement(at: 1, to: iovec(readingFrom: second))
            return socket.write(UnsafeBufferPointer(parts))
        }
        guard let taken = note(outcome, at: now) else { return 0 }
        if taken < first.count + second.count { isBlocked = true }
        return taken
    }

    /// Encrypts record by record, each after the one before has left. The first has the head and what follows it.
    private func writeRecords(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, at now: MonotonicTime
    ) -> Int {
        guard let tls else { return 0 }
        let total = first.count + second.count
        var taken = 0
        while taken < total, pendingByteCount == 0, failure == nil, tls.failure == nil {
            if taken < first.count {
                let head = min(first.count - taken, TLSConnection.recordByteCount)
                let byteCount =
                    taken + head < first.count ? 0 : min(TLSConnection.recordByteCount - head, second.count)
                tls.write(Array(first[taken..<taken + head]) + Array(second[..<byteCount]))
                taken += head + byteCount
            } else {
                let start = taken - first.count
                let end = min(start + TLSConnection.recordByteCount, second.count)
                tls.write(UnsafeRawBufferPointer(rebasing: second[start..<end]))
                taken = first.count + end
            }
            flush(at: now)
        }
        if tls.failure != nil { onChange?() }
        return taken
    }

    /// Handles the result of a write: the number of bytes taken, or `nil` if there were none.
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
