import Fuzzing
import RTMP
import Wire

/// However the bytes are split, the messages and the error are the same; memory is bounded by the limits and not by announced lengths;
/// a written message is read as it was; and so are the values of AMF0.
@Sendable func fuzzRTMPChunks(_ input: [UInt8]) {
    var script = Script(input)
    let seed = script.byte()
    let bytes = script.rest()
    let whole = outcome(of: [bytes])
    require(whole == outcome(of: pieces(of: bytes, seed: seed)), "any split gives the same messages")
    for message in whole.messages {
        require(message.payload.count <= bytes.count, "a message has only bytes that came")
        checkWritten(message, chunkByteCount: 1 + Int(seed))
        checkValues(message.payload)
    }
    checkValues(bytes)
    checkSession(bytes, seed: seed)
}

private struct Outcome: Equatable {
    var messages: [Message] = []
    var error: RTMPError?
}

private func outcome(of pieces: [[UInt8]]) -> Outcome {
    var limits = ChunkReader.Limits()
    limits.messageByteCount = 1024
    limits.partialByteCount = 2048
    var reader = ChunkReader(limits: limits)
    var outcome = Outcome()
    for piece in pieces {
        reader.append(piece.rawSpan)
        do throws(RTMPError) {
            while let message = try reader.next() {
                require(message.payload.count <= limits.messageByteCount, "the limit holds")
                outcome.messages.append(message)
            }
            require(reader.waitingByteCount <= 18, "only an incomplete header waits")
        } catch {
            outcome.error = error
            return outcome
        }
    }
    return outcome
}

/// The message is read as it was from chunks of this length.
private func checkWritten(_ message: Message, chunkByteCount: Int) {
    // Its own reader would obey these two.
    if message.type == .setChunkSize || message.type == .abort { return }
    var writer = ChunkWriter()
    let announced = ControlMessage.setChunkSize(byteCount: UInt32(chunkByteCount)).message
    let head = writer.bytes(of: announced, on: .control)
    writer.chunkByteCount = chunkByteCount
    let read = outcome(of: [head + writer.bytes(of: message, on: .video)])
    require(read == Outcome(messages: [message]), "a message is read as it was written")
}

/// Values that can be read are the same after writing and reading, and commands and control messages do not end the process.
private func checkValues(_ bytes: [UInt8]) {
    for type in [MessageType.commandAMF0, .commandAMF3, .userControl, .setPeerBandwidth] {
        let message = Message(type, payload: bytes)
        if let command = try? CommandMessage(message) { _ = try? Command(command) }
        _ = try? ControlMessage(message)
    }
    _ = try? StreamMetadata(Message(.dataAMF0, payload: bytes))
    guard let values = readValues(bytes) else { return }
    let written = AMF0.bytes(of: values)
    guard let again = readValues(written) else { return require(false, "written values can be read") }
    // Compared as bytes, because not-a-number is not equal to itself.
    require(AMF0.bytes(of: again) == written, "values are read as they were written")
}

private func readValues(_ bytes: [UInt8]) -> [AMF0.Value]? {
    var reader = AMF0.Reader(bytes.rawSpan)
    return try? reader.values()
}

/// A server's session that accepts everything ends in the same way however the bytes are split, and orders nothing behind its end.
private func checkSession(_ bytes: [UInt8], seed: UInt8) {
    let opening = [3] + [UInt8](repeating: 0, count: 2 * 1536)
    let whole = orders(of: [opening, bytes])
    require(whole == orders(of: [opening] + pieces(of: bytes, seed: seed)), "any split gives the same orders")
    let end = whole.firstIndex { if case .close = $0 { true } else { false } }
    require(end == nil || end == whole.count - 1, "nothing follows the end")
}

private func orders(of pieces: [[UInt8]]) -> [ServerOrder] {
    var session = RTMPServerSession(random: [UInt8](repeating: 0, count: 3072))
    var orders: [ServerOrder] = []
    for piece in pieces {
        session.received(piece.rawSpan)
        while let order = session.next() {
            // Acknowledgements tell how much has come, so what is sent depends on the pieces.
            if case .send = order { continue }
            orders.append(order)
            switch order {
            case .connect: session.acceptConnection()
            case .publish: session.acceptPublishing()
            case .play: session.acceptPlaying()
            default: break
            }
        }
    }
    return orders
}
