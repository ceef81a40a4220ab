import Wire

/// Finds the transport packets in bytes that may begin and end anywhere (ISO/IEC 13818-1, 2.4.3.2).
///
/// A packet begins at a sync byte that others follow at the distance of a packet. Once that is known, each packet only needs its own.
struct TransportSynchroniser: Sendable {
    /// How many sync bytes must follow the first one, because payload may contain the same byte (ETSI TR 101 290, 1.1).
    private static let confirmations = 4

    /// At most the bytes of the packets that a sync byte needs to be confirmed, and those of one push.
    private var waiting: [UInt8] = []
    private var start = 0
    private var isSynchronised = false
    /// Bytes between packets so far.
    private(set) var strayByteCount = 0

    /// Whether these bytes are whole packets behind the earlier ones. They need not be copied then.
    mutating func passes(_ bytes: RawSpan) -> Bool {
        guard start == waiting.count, bytes.byteCount > 0, bytes.byteCount % TransportPacket.byteCount == 0 else {
            return false
        }
        for place in stride(from: 0, to: bytes.byteCount, by: TransportPacket.byteCount)
        where bytes.byte(at: place) != TransportPacket.syncByte {
            return false
        }
        isSynchronised = true
        return true
    }

    mutating func push(_ bytes: RawSpan) {
        waiting.removeFirst(start)
        start = 0
        waiting.append(bytes)
    }

    /// The next packet; `nil` if more bytes are needed.
    mutating func next() -> [UInt8]? {
        if isSynchronised, start < waiting.count, waiting[start] != TransportPacket.syncByte { isSynchronised = false }
        while !isSynchronised {
            guard let isPacket = isConfirmed(at: start) else { return nil }
            isSynchronised = isPacket
            guard !isPacket else { break }
            start += 1
            strayByteCount += 1
        }
        guard waiting.count - start >= TransportPacket.byteCount else { return nil }
        defer { start += TransportPacket.byteCount }
        return Array(waiting[start..<(start + TransportPacket.byteCount)])
    }

    /// Whether a packet begins at this index; `nil` if more bytes are needed.
    private func isConfirmed(at index: Int) -> Bool? {
        for count in 0...Self.confirmations {
            let place = index + count * TransportPacket.byteCount
            guard place < waiting.count else { return nil }
            if waiting[place] != TransportPacket.syncByte { return false }
        }
        return true
    }
}
