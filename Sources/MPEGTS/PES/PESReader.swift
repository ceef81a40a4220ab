import Wire

/// Reads the PES packets of one PID (ISO/IEC 13818-1, 2.4.3.6): passes on their bodies without waiting for the rest of a packet.
struct PESReader: Hashable, Sendable {
    /// What the payload of a transport packet contains.
    struct Piece: ~Escapable {
        /// Whether a PES packet begins with it that does not only continue a unit too long for one packet.
        let isStart: Bool
        let times: PESHeader.Times?
        let isScrambled: Bool
        let body: RawSpan
        /// Whether the PES packet ends with it, and not only because it can be no longer.
        let isEnd: Bool

        @_lifetime(copy body)
        init(isStart: Bool, times: PESHeader.Times?, isScrambled: Bool, body: RawSpan, isEnd: Bool) {
            (self.isStart, self.times, self.isScrambled) = (isStart, times, isScrambled)
            self.body = body
            self.isEnd = isEnd
        }
    }

    private enum State: Hashable {
        /// Until the next packet begins.
        case idle
        case header([UInt8])
        /// The bytes that are missing; `nil` if the packet ends where the next one begins.
        case body(missing: Int?)
    }

    /// A packet that lacks fewer bytes than a transport packet has to the greatest length is as long as possible, if its writer fills
    /// transport packets.
    private static let greatestLength = 0xFFFF - TransportPacket.byteCount

    private var state = State.idle
    private var end = StuffedEnd()
    /// Whether the present packet, or else the last one, is as long as possible.
    private var isLongest = false

    /// Some bytes are missing: a length no longer helps to find the end of the packet.
    mutating func recordLoss() {
        switch state {
        case .idle: break
        case .header: state = .idle
        case .body: state = .body(missing: nil)
        }
        isLongest = false
        end.recordLoss()
    }

    /// - Parameter isStuffed: whether the transport packet was filled with stuffing.
    /// - Returns: `nil` if there is nothing of a body.
    @_lifetime(copy payload)
    mutating func receive(_ payload: RawSpan, startsPacket: Bool, isStuffed: Bool) -> Piece? {
        if startsPacket {
            end.packetBegan()
            state = .header([])
        }
        switch state {
        case .idle: return nil
        case .header(let start): return begin(start, payload, isStuffed)
        case .body(let missing):
            end.packetContinued(isStuffed: isStuffed)
            return proceed(
                payload, missing: missing, isStuffed: isStuffed, times: nil, isStart: false, isScrambled: false)
        }
    }

    @_lifetime(copy payload)
    private mutating func begin(_ start: [UInt8], _ payload: RawSpan, _ isStuffed: Bool) -> Piece? {
        var (header, reader) = (start, ByteReader(payload))
        // The header may be spread over packets, though nearly all are in the first one.
        while header.count < PESHeader.minimumByteCount, let byte = reader.uint8() { header.append(byte) }
        guard header.count >= PESHeader.minimumByteCount else {
            state = .header(header)
            return nil
        }
        guard let byteCount = PESHeader.byteCount(of: header) else {
            state = .idle
            return nil
        }
        while header.count < byteCount, let byte = reader.uint8() { header.append(byte) }
        guard header.count == byteCount else {
            state = .header(header)
            return nil
        }
        guard let received = PESHeader.parse(header) else {
            state = .idle
            return nil
        }
        end.packetContinued(isStuffed: isStuffed)
        // Only the first of several packets of a unit has times (2.4.3.7).
        let continuesUnit = isLongest && received.header.times == nil
        isLongest = received.bodyByteCount.map { $0 + byteCount - 6 > Self.greatestLength } ?? false
        return proceed(
            reader.takeRest(), missing: received.bodyByteCount, isStuffed: isStuffed, times: received.header.times,
            isStart: !continuesUnit, isScrambled: received.isScrambled)
    }

    @_lifetime(copy payload)
    private mutating func proceed(
        _ payload: RawSpan, missing: Int?, isStuffed: Bool, times: PESHeader.Times?, isStart: Bool, isScrambled: Bool
    ) -> Piece {
        guard let missing else {
            state = .body(missing: nil)
            return Piece(
                isStart: isStart, times: times, isScrambled: isScrambled, body: payload,
                isEnd: isStuffed && end.isKnown)
        }
        // Bytes behind the end of a packet belong to nothing.
        let body = payload.extracting(0..<min(missing, payload.byteCount))
        state = missing > body.byteCount ? .body(missing: missing - body.byteCount) : .idle
        return Piece(
            isStart: isStart, times: times, isScrambled: isScrambled, body: body,
            isEnd: missing <= body.byteCount && !isLongest)
    }
}

/// Whether PES packets without a length end with a transport packet that is filled with stuffing.
///
/// Such a packet ends where the next one begins, a frame later. But multiplexers write stuffing only to fill the last transport packet
/// of a PES packet, so most ends can be known at once. It is assumed after eight packets, and no longer if one proves the contrary.
private struct StuffedEnd: Hashable, Sendable {
    private static let sufficientCount = 8

    private var count = 0
    private var isRefuted = false
    /// Whether the last transport packet was stuffed.
    private var isStuffed = false

    var isKnown: Bool { !isRefuted && count >= Self.sufficientCount }

    mutating func packetBegan() {
        if isStuffed { count += 1 }
        isStuffed = false
    }

    mutating func packetContinued(isStuffed: Bool) {
        if self.isStuffed { isRefuted = true }
        self.isStuffed = isStuffed
    }

    mutating func recordLoss() {
        isStuffed = false
    }
}
