@testable import RTMP

/// A server's session whose client writes messages, and what the session has ordered.
struct ServerUnderTest {
    var session = RTMPServerSession(random: [UInt8](repeating: 1, count: 3072))
    var writer = ChunkWriter()
    private var reader = ChunkReader()
    private(set) var decisions: [ServerOrder] = []
    private(set) var media: [Message] = []
    private(set) var pauses: [Command.Pause] = []
    private(set) var stops = 0
    private(set) var closed: ServerOrder.CloseReason?
    private(set) var sentByteCount = 0
    /// What the client has read.
    private(set) var commands: [CommandMessage] = []
    private(set) var chunkSizes: [Int] = []
    private(set) var acknowledgements: [UInt32] = []
    private(set) var pings: [UInt32] = []
    private(set) var pongs: [UInt32] = []

    /// - Parameter opens: whether the handshake is done.
    init(opens: Bool = true) {
        guard opens else { return }
        receive([3] + [UInt8](repeating: 0, count: 2 * 1536))
    }

    /// The transactions that were answered.
    var results: [Double] { commands.filter { $0.name == "_result" }.map(\.transaction) }
    var statuses: [Status] { commands.filter { $0.name == "onStatus" }.compactMap { Status($0.arguments.first) } }
    var errors: [Status] { commands.filter { $0.name == "_error" }.compactMap { Status($0.arguments.first) } }

    mutating func connect(_ object: AMF0.Object) {
        send(CommandMessage("connect", transaction: 1, object: .object(object)))
    }

    mutating func send(_ command: CommandMessage, streamID: UInt32 = 0) {
        send(command.message(streamID: streamID))
    }

    mutating func send(_ message: Message) {
        receive(writer.bytes(of: message, on: message.type == .video ? .video : .command))
    }

    mutating func receive(_ bytes: [UInt8]) {
        session.received(bytes.rawSpan)
        takeOrders()
    }

    mutating func decide(_ decision: (inout RTMPServerSession) -> Void) {
        decision(&session)
        takeOrders()
    }

    private mutating func takeOrders() {
        while let order = session.next() {
            switch order {
            case .send(let bytes): take(bytes)
            case .connect, .publish, .play: decisions.append(order)
            case .media(let message): media.append(message)
            case .pause(let pause): pauses.append(pause)
            case .stopped: stops += 1
            case .close(let reason): closed = reason
            }
        }
    }

    private mutating func take(_ bytes: [UInt8]) {
        defer { sentByteCount += bytes.count }
        guard sentByteCount > 0 else { return }
        // Set Chunk Size is for the reader, so that it is noted here.
        if bytes.count == 16, bytes[7] == MessageType.setChunkSize.rawValue {
            chunkSizes.append(bytes.suffix(4).reduce(0) { $0 << 8 | Int($1) })
        }
        reader.append(bytes.rawSpan)
        while let message = try? reader.next() {
            if message.type == .commandAMF0, let command = try? CommandMessage(message) { commands.append(command) }
            switch try? ControlMessage(message) {
            case .acknowledgement(let count): acknowledgements.append(count)
            case .userControl(.pingRequest(let number)): pings.append(number)
            case .userControl(.pingResponse(let number)): pongs.append(number)
            default: break
            }
        }
    }
}
