import MP4
import Media
import NIOCore

/// The sending half of a connection or an HTTP/2 stream with a live body. It adds the framing (HTTP chunks or WebSocket messages) and
/// bypasses the HTTP encoder. Confined to the event loop.
///
/// Nothing queues here but what the channel has taken. The backlog of the media stays in the feed's ring.
final class LiveConnection {
    /// What stands around each piece.
    enum Framing {
        /// Nothing: the body ends with the connection, for clients of HTTP/1.0.
        case none
        /// Chunks (RFC 9112, section 7.1).
        case chunks
        /// Nothing is added to the bytes: the HTTP/2 handler puts them into frames, and the body ends with its stream.
        case stream
        /// Messages of a WebSocket (RFC 6455, section 5.2).
        case webSocket
    }

    /// The kind of a WebSocket message: its opcode.
    enum MessageKind: UInt8 {
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    private let gate: any HTTPGate
    private let framing: Framing
    private var hasChunk = false
    /// The bytes that were written, without the framing.
    private(set) var byteCount = 0
    /// Bytes that waited in the channel when it was last looked at.
    private var lastWaitingByteCount = 0
    /// When the channel last took bytes away.
    private(set) var lastProgress: MonotonicTime?

    init(_ gate: any HTTPGate, _ framing: Framing) {
        (self.gate, self.framing) = (gate, framing)
        gate.limitUnsentBytes()
    }

    /// Whether the channel takes more without keeping it.
    var isWritable: Bool { gate.isWritable }

    /// The memory that waits in the channel.
    var bufferedByteCount: Int { gate.bufferedByteCount }

    /// The memory that waits in the channel. Notes whether the channel has taken bytes away since the last call.
    func waitingByteCount(at now: MonotonicTime) -> Int {
        let byteCount = bufferedByteCount
        if byteCount < lastWaitingByteCount { lastProgress = now }
        lastWaitingByteCount = byteCount
        return byteCount
    }

    func flush() { gate.flush() }

    /// Writes a fragment with the times of this client. Its payload is shared.
    func write(_ fragment: LiveFragment, with fields: ClientTimeline.Fields) {
        let boxes = fragment.boxesByteCount(includesCaptureTime: true)
        let payload = fragment.payload
        var buffer = gate.buffer(Self.frameByteCount + boxes)
        begin(boxes + payload.readableBytes, .binary, in: &buffer)
        buffer.writeWithOutputRawSpan(minimumWritableBytes: boxes) {
            fragment.writeBoxes(with: fields, includesCaptureTime: true, to: &$0)
        }
        gate.write(buffer)
        gate.write(payload)
    }

    /// Writes bytes of its own.
    func write(_ bytes: [UInt8], as kind: MessageKind = .binary) {
        var buffer = gate.buffer(Self.frameByteCount + bytes.count)
        begin(bytes.count, kind, in: &buffer)
        buffer.writeBytes(bytes)
        gate.write(buffer)
    }

    /// Writes a box of MP4 without content (ISO/IEC 14496-12, section 8.1.2).
    ///
    /// - Parameter byteCount: the bytes of the whole box, from 8 to 32 KB.
    func writeFreeBox(_ byteCount: Int) {
        var buffer = gate.buffer(Self.frameByteCount + 8)
        begin(byteCount, .binary, in: &buffer)
        buffer.writeInteger(UInt32(byteCount))
        buffer.writeStaticString("free")
        gate.write(buffer)
        if let content = Self.zeros.getSlice(at: 0, length: byteCount - 8) { gate.write(content) }
    }

    private static let zeros = ByteBuffer(repeating: 0, count: BlockPadding.blockByteCount)

    /// Ends the body.
    ///
    /// - Returns: whether the connection can be used again.
    func end() -> Bool {
        switch framing {
        case .none, .webSocket: return false
        case .stream: return true
        case .chunks:
            var buffer = gate.buffer(8)
            buffer.writeString(hasChunk ? "\r\n0\r\n\r\n" : "0\r\n\r\n")
            gate.write(buffer)
            gate.flush()
            return true
        }
    }

    /// The most bytes around a piece: the end of the last chunk, and the size of this one.
    private static let frameByteCount = 24

    private func begin(_ byteCount: Int, _ kind: MessageKind, in buffer: inout ByteBuffer) {
        self.byteCount += byteCount
        switch framing {
        case .none, .stream: break
        case .chunks:
            // The end of a chunk is sent with the next one, which saves a write.
            if hasChunk { buffer.writeStaticString("\r\n") }
            hasChunk = true
            buffer.writeString(String(byteCount, radix: 16))
            buffer.writeStaticString("\r\n")
        case .webSocket:
            buffer.writeInteger(0x80 | kind.rawValue)
            switch byteCount {
            case ..<126: buffer.writeInteger(UInt8(byteCount))
            case ..<65_536:
                buffer.writeInteger(126 as UInt8)
                buffer.writeInteger(UInt16(byteCount))
            default:
                buffer.writeInteger(127 as UInt8)
                buffer.writeInteger(UInt64(byteCount))
            }
        }
    }
}
