import Media
import Wire

/// Converts RTP payloads to JPEG frames with all headers (RFC 2435): types 0, 1, 64 and 65, with 8-bit tables.
///
/// Push packets in the order of their sequence numbers (`ReorderBuffer`), then take frames until there are none. A frame of which a
/// packet is missing is dropped: each frame stands alone, so the next one is whole again.
public struct JPEGDepacketizer: Sendable {
    /// The most bytes of a frame: several times a frame of 8 million pixels in high quality. Offsets allow 16 MB.
    public static let maximumFrameBytes = 8_000_000

    public private(set) var counts = DepacketizerCounts()

    private enum State {
        /// Before the first fragment of a frame.
        case idle
        /// All fragments so far have come.
        case assembling(timestamp: UInt32, Assembly)
        /// Something of the frame is missing.
        case broken(timestamp: UInt32)
    }

    private struct Assembly {
        let frame: JPEGPayloadHeader.Frame
        let size: TranscodedFormat.PixelSize
        let tables: [UInt8]
        var scan: [UInt8]
    }

    private let describedSize: TranscodedFormat.PixelSize?
    private var sequence = SequenceTracker()
    private var state = State.idle
    /// The tables that were sent with qualities of 128 to 254, for frames without tables.
    private var knownTables: [UInt8: [UInt8]] = [:]
    private var finished: [ReceivedUnit] = []

    /// - Parameter describedSize: of frames that are too large for the packets' header.
    public init(describedSize: TranscodedFormat.PixelSize? = nil) {
        self.describedSize = describedSize
    }

    /// Pushes one packet's payload, without padding.
    public mutating func push(_ payload: RawSpan, header: Header) {
        var isAfterGap = false
        switch sequence.step(to: header.sequenceNumber) {
        case .late:
            counts.latePackets += 1
            return
        case .gap(let missing):
            counts.lostPackets += missing
            isAfterGap = true
        case .next: break
        }
        leave(to: header.timestamp, isAfterGap: isAfterGap)
        var reader = ByteReader(payload)
        guard let fragment = JPEGPayloadHeader(&reader) else {
            counts.malformedPackets += 1
            return breakOff(header.timestamp)
        }
        add(reader.takeRest(), fragment, timestamp: header.timestamp)
        if header.isMarked { finish() }
    }

    /// The oldest complete frame.
    public mutating func next() -> ReceivedUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    /// Ends the frame before this packet, if that has not been done.
    private mutating func leave(to timestamp: UInt32, isAfterGap: Bool) {
        switch state {
        case .assembling(let open, _) where isAfterGap:
            // The missing packets may belong to this frame as well as to the next one.
            breakOff(open)
            if open != timestamp { state = .idle }
        // Nothing is missing but the marker, which some senders never set.
        case .assembling(let open, _) where open != timestamp: finish()
        case .broken(let open) where open != timestamp: state = .idle
        case .idle, .assembling, .broken: break
        }
    }

    private mutating func add(_ data: RawSpan, _ fragment: JPEGPayloadHeader, timestamp: UInt32) {
        if fragment.offset == 0 { return begin(data, fragment, timestamp: timestamp) }
        guard case .assembling(_, var assembly) = state, fragment.frame == assembly.frame,
            fragment.offset == assembly.scan.count,
            assembly.scan.count + data.byteCount <= Self.maximumFrameBytes
        else { return breakOff(timestamp) }
        // Without this, the assembly would be copied for each packet.
        state = .idle
        assembly.scan.append(data)
        state = .assembling(timestamp: timestamp, assembly)
    }

    private mutating func begin(_ data: RawSpan, _ fragment: JPEGPayloadHeader, timestamp: UInt32) {
        // A second beginning with the same timestamp: the first has no end.
        if case .assembling = state { counts.brokenUnits += 1 }
        guard let tables = tables(of: fragment), let size = size(of: fragment.frame) else {
            counts.malformedPackets += 1
            state = .idle
            return breakOff(timestamp)
        }
        var scan: [UInt8] = []
        scan.append(data)
        state = .assembling(
            timestamp: timestamp, Assembly(frame: fragment.frame, size: size, tables: tables, scan: scan))
    }

    /// The quantisation tables of a frame, from its first fragment; `nil` if they are not known.
    private mutating func tables(of fragment: JPEGPayloadHeader) -> [UInt8]? {
        let quality = fragment.frame.quality
        guard quality >= 128 else { return JPEGTables.quantisation(quality: quality) }
        guard !fragment.tables.isEmpty else { return knownTables[quality] }
        if quality < 255 { knownTables[quality] = fragment.tables }
        return fragment.tables
    }

    private func size(of frame: JPEGPayloadHeader.Frame) -> TranscodedFormat.PixelSize? {
        TranscodedFormat.PixelSize(width: Int(frame.width) * 8, height: Int(frame.height) * 8) ?? describedSize
    }

    /// Drops what there is of the frame, and all that follows of it.
    private mutating func breakOff(_ timestamp: UInt32) {
        if case .broken = state { return }
        counts.brokenUnits += 1
        state = .broken(timestamp: timestamp)
    }

    private mutating func finish() {
        defer { state = .idle }
        guard case .assembling(let timestamp, let assembly) = state else { return }
        let bytes = JPEGFrame.bytes(
            size: assembly.size, subsampling: assembly.frame.subsampling,
            restartInterval: assembly.frame.restartInterval, tables: assembly.tables, scan: assembly.scan)
        finished.append(
            ReceivedUnit(rtpTimestamp: timestamp, bytes: bytes, units: [0..<bytes.count], isComplete: true))
    }
}
