import Wire

/// What both ends of a connection do after the handshake: they divide messages into chunks and put them together, acknowledge what they
/// receive, and answer pings.
struct MessageChannel: Sendable {
    private var reader: ChunkReader
    private var writer = ChunkWriter()
    private var flow = Acknowledgements()

    init(limits: ChunkReader.Limits) {
        reader = ChunkReader(limits: limits)
    }

    /// What the peer may send from now on.
    mutating func limit(to limits: ChunkReader.Limits) { reader.limits = limits }

    /// Bytes that the peer has not acknowledged; `nil` before its first acknowledgement.
    var bytesInFlight: UInt64? { flow.bytesInFlight }

    /// Received bytes that no message has been made of.
    var waitingByteCount: Int { reader.waitingByteCount }

    // MARK: - Input

    /// Bytes have come, of the handshake or behind it.
    mutating func received(byteCount: Int) {
        flow.received(byteCount: byteCount)
    }

    /// Bytes have come that are behind the handshake.
    mutating func append(_ bytes: RawSpan) {
        reader.append(bytes)
    }

    enum Input {
        case media(Message)
        case command(CommandMessage, streamID: UInt32)
        case control(ControlMessage)
        /// A message that has an unknown type.
        case other
    }

    /// The next message, and the answer that it needs; `nil` if more bytes are needed.
    mutating func next() throws(RTMPError) -> (Input, answer: [UInt8])? {
        guard let message = try reader.next() else { return nil }
        var answer: [UInt8] = []
        if let acknowledgement = flow.due() { answer += bytes(of: acknowledgement) }
        if message.type.isMedia { return (.media(message), answer) }
        if message.type == .commandAMF0 || message.type == .commandAMF3 {
            return (.command(try CommandMessage(message), streamID: message.streamID), answer)
        }
        guard let control = try ControlMessage(message) else { return (.other, answer) }
        switch control {
        case .acknowledgement(let byteCount): flow.receivedAcknowledgement(byteCount: byteCount)
        case .windowAcknowledgementSize(let byteCount): flow.receivedWindow(byteCount: byteCount)
        case .userControl(.pingRequest(let number)): answer += bytes(of: .userControl(.pingResponse(number)))
        default: break
        }
        return (.control(control), answer)
    }

    // MARK: - Output

    /// Bytes are sent that others than this channel have made.
    mutating func sent(byteCount: Int) {
        flow.sent(byteCount: byteCount)
    }

    mutating func bytes(of control: ControlMessage) -> [UInt8] {
        counted(writer.bytes(of: control.message, on: .control))
    }

    mutating func bytes(of command: CommandMessage, streamID: UInt32) -> [UInt8] {
        counted(writer.bytes(of: command.message(streamID: streamID), on: streamID == 0 ? .command : .status))
    }

    mutating func bytes(of media: Message, on chunkStream: ChunkStreamID) -> [UInt8] {
        counted(writer.bytes(of: media, on: chunkStream))
    }

    /// Announces the length of chunks, and uses it from now on.
    mutating func setChunkSize(_ byteCount: Int) -> [UInt8] {
        let bytes = bytes(of: .setChunkSize(byteCount: UInt32(byteCount)))
        writer.chunkByteCount = byteCount
        return bytes
    }

    private mutating func counted(_ bytes: [UInt8]) -> [UInt8] {
        flow.sent(byteCount: bytes.count)
        return bytes
    }
}
