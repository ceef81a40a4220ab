import Wire

/// The client's end of one RTMP connection, which publishes or plays one stream: a state machine without a socket and a clock.
///
/// | state | event | next state | orders |
/// |---|---|---|---|
/// | handshake | begin | handshake | send C0, C1 |
/// | handshake | S0 and S1 | handshake | send C2 |
/// | handshake | S2 | connecting | send chunk size, `connect` |
/// | connecting | `_result` | creating | send `releaseStream` and `FCPublish` (publishing only), `createStream` |
/// | connecting | `_error` that asks for credentials | closed | reconnect |
/// | creating | `_result` | starting | send `publish`, or `play` and the buffer length |
/// | starting | `NetStream.Publish.Start` or `NetStream.Play.Start` | running | started |
/// | running | media (playing only) | running | media |
/// | running | end of the stream | closed | close |
/// | any | `_error`, or a status of the level `error` | closed | close |
/// | any | bytes that are not RTMP | closed | close |
public struct RTMPClientSession: Sendable {
    /// The numbers of commands, as FFmpeg counts them.
    private enum Transaction {
        static let connect = 1.0
        static let releaseStream = 2.0
        static let announce = 3.0
        static let createStream = 4.0
        static let begin = 5.0
    }

    private enum State: Sendable {
        case handshake(ClientHandshake)
        case connecting
        case creating
        case starting(streamID: UInt32)
        case running(streamID: UInt32)
        case closed
    }

    private let target: ClientTarget
    private let login: ClientLogin?
    private var state: State
    private var orders: [ClientOrder]
    private var channel: MessageChannel
    /// The codecs of Enhanced RTMP that the server says it takes.
    public private(set) var codecs: EnhancedCodecs = []

    /// - Parameters:
    ///   - login: user and password; after ``ClientOrder/reconnect(_:)``, what that order gave.
    ///   - random: 1 536 random bytes.
    public init(_ target: ClientTarget, login: ClientLogin?, random: [UInt8], limits: ChunkReader.Limits = .init()) {
        self.target = target
        self.login = login
        let handshake = ClientHandshake(random: random)
        state = .handshake(handshake)
        channel = MessageChannel(limits: limits)
        channel.sent(byteCount: handshake.opening.count)
        orders = [.send(handshake.opening)]
    }

    /// How media to publish is sent; `nil` unless the server has accepted the publisher.
    public var framing: MediaFraming? {
        guard case .running(let streamID) = state, target.action == .publish else { return nil }
        return MediaFraming(for: .server, streamID: streamID)
    }

    /// Media that the caller has written itself, with the ``framing``, was sent.
    public mutating func sentMedia(byteCount: Int) {
        channel.sent(byteCount: byteCount)
    }

    /// Bytes of the server have come.
    public mutating func received(_ bytes: RawSpan) {
        channel.received(byteCount: bytes.byteCount)
        do throws(RTMPError) {
            switch state {
            case .closed: return
            case .handshake(let handshake): try advance(handshake, bytes)
            default: channel.append(bytes)
            }
        } catch {
            close(.protocolError(error))
        }
    }

    /// The next order; `nil` if more bytes are needed.
    public mutating func next() -> ClientOrder? {
        while orders.isEmpty {
            do throws(RTMPError) {
                guard try receiveMessage() else { return nil }
            } catch {
                close(.protocolError(error))
            }
        }
        return orders.removeFirst()
    }

    /// Ends what the client publishes or plays. The caller then sends what was ordered and closes the connection.
    public mutating func stop() {
        guard case .running(let streamID) = state else { return }
        if target.action == .publish {
            send(CommandMessage("FCUnpublish", transaction: 0, .string(target.streamName)))
        }
        send(CommandMessage("deleteStream", transaction: 0, .number(Double(streamID))))
        state = .closed
    }

    // MARK: - Handshake

    private mutating func advance(_ handshake: ClientHandshake, _ bytes: RawSpan) throws(RTMPError) {
        var handshake = handshake
        var step = try handshake.received(bytes)
        if case .send(let answer) = step {
            channel.sent(byteCount: answer.count)
            orders.append(.send(answer))
            step = try handshake.received([UInt8]().rawSpan)
        }
        state = .handshake(handshake)
        guard case .finished(let rest) = step else { return }
        state = .connecting
        connect()
        channel.append(rest.rawSpan)
    }

    private mutating func connect() {
        orders.append(.send(channel.setChunkSize(MediaFraming.serverChunkByteCount)))
        let query = login?.query ?? ""
        var object: AMF0.Object = [
            "app": .string(target.app + query), "tcUrl": .string(target.tcURL + query),
            "flashVer": .string(target.action == .publish ? "FMLE/3.0 (compatible; Apus)" : "LNX 9,0,124,2"),
        ]
        switch target.action {
        case .publish: object.append("type", .string("nonprivate"))
        case .play:
            // All audio and video codecs that Flash had.
            object.append("audioCodecs", .number(4071))
            object.append("videoCodecs", .number(252))
        }
        object.append("fourCcList", .strictArray([.string(FourCC.hevc.text), .string(FourCC.opus.text)]))
        send(CommandMessage("connect", transaction: Transaction.connect, object: .object(object)))
    }

    // MARK: - Messages

    /// Reads a message if the state allows it; false if there is none.
    private mutating func receiveMessage() throws(RTMPError) -> Bool {
        switch state {
        case .closed, .handshake: return false
        default: break
        }
        guard let (input, answer) = try channel.next() else { return false }
        if !answer.isEmpty { orders.append(.send(answer)) }
        switch input {
        case .media(let message):
            if case .running = state, target.action == .play { orders.append(.media(message)) }
        case .command(let command, _): received(command)
        case .control, .other: break
        }
        return true
    }

    private mutating func received(_ message: CommandMessage) {
        switch message.name {
        case "_result": receivedResult(message)
        case "_error": receivedError(message)
        case "onStatus":
            if let status = Status(message.arguments.first) { received(status) }
        default: break
        }
    }

    private mutating func receivedResult(_ message: CommandMessage) {
        switch (state, message.transaction) {
        case (.connecting, Transaction.connect):
            for object in [message.object.object, message.arguments.first?.object].compactMap(\.self) {
                codecs.formUnion(EnhancedCodecs(object))
            }
            createStream()
        case (.creating, Transaction.createStream):
            // Servers number streams from 1.
            let streamID = message.arguments.first?.number.flatMap { UInt32(exactly: $0) } ?? 1
            begin(on: streamID)
        default: break
        }
    }

    private mutating func createStream() {
        state = .creating
        if target.action == .publish {
            let name = AMF0.Value.string(target.streamName)
            send(CommandMessage("releaseStream", transaction: Transaction.releaseStream, name))
            send(CommandMessage("FCPublish", transaction: Transaction.announce, name))
        }
        send(CommandMessage("createStream", transaction: Transaction.createStream))
    }

    private mutating func begin(on streamID: UInt32) {
        state = .starting(streamID: streamID)
        let name = AMF0.Value.string(target.streamName)
        switch target.action {
        case .publish:
            send(
                CommandMessage("publish", transaction: Transaction.begin, name, .string("live")), streamID: streamID)
        case .play:
            // −2000: the live stream, or a recording of this name (Adobe's RTMP specification, section 7.2.2.1).
            send(CommandMessage("play", transaction: Transaction.begin, name, .number(-2000)), streamID: streamID)
            let event = UserControlEvent.setBufferLength(streamID: streamID, milliseconds: 100)
            orders.append(.send(channel.bytes(of: .userControl(event))))
        }
    }

    private mutating func receivedError(_ message: CommandMessage) {
        let status =
            Status(message.arguments.first) ?? Status(.error, .connectRejected, "without a reason")
        // Servers that do not know releaseStream or FCPublish say so.
        switch message.transaction {
        case Transaction.releaseStream, Transaction.announce: return
        case Transaction.connect where status.description.contains("authmod=adobe"):
            if let next = login?.next(after: status.description) {
                state = .closed
                orders.append(.reconnect(next))
            } else {
                close(.unauthorised)
            }
        default: close(.refused(status))
        }
    }

    private mutating func received(_ status: Status) {
        switch (state, status.code) {
        case (_, _) where status.level == .error: close(.refused(status))
        case (.starting(let streamID), .publishStart), (.starting(let streamID), .playStart):
            state = .running(streamID: streamID)
            orders.append(.started)
        case (.running, .playStop), (.running, .playUnpublished): close(.ended(status))
        default: break
        }
    }

    private mutating func send(_ command: CommandMessage, streamID: UInt32 = 0) {
        orders.append(.send(channel.bytes(of: command, streamID: streamID)))
    }

    private mutating func close(_ reason: ClientOrder.CloseReason) {
        state = .closed
        orders.append(.close(reason.shortened(hiding: target.action == .publish ? target.streamName : nil)))
    }
}
