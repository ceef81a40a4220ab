import Wire

/// The server's end of one RTMP connection: a state machine without a socket and a clock. Bytes and decisions go in; orders come out.
///
/// A client connects, and then publishes or plays one stream at a time. To connect and to publish are two steps with an answer each,
/// because an encoder may connect long before it publishes. While a decision is outstanding, the session reads no more messages: clients send
/// several commands at once, and the answers must keep their order. The caller should then also stop reading from the socket.
///
/// | state | event | next state | orders |
/// |---|---|---|---|
/// | handshake | C0 and C1 | handshake | send S0, S1, S2 |
/// | handshake | C2 | open | |
/// | open | `connect` | deciding connect | connect |
/// | deciding connect | accepted | idle | send window, bandwidth, chunk size, `_result` |
/// | deciding connect | rejected | closed | send `_error`, close |
/// | idle | `createStream`, `releaseStream`, `FCPublish` … | idle | send `_result` |
/// | idle | `publish` / `play` | deciding publish / play | publish / play |
/// | deciding publish | accepted | publishing | send Stream Begin, `NetStream.Publish.Start` |
/// | deciding play | accepted | playing | send chunk size, Stream Begin, `NetStream.Play.Reset`, `NetStream.Play.Start` |
/// | deciding publish or play | rejected | closed | send the status, close |
/// | publishing | media | publishing | media |
/// | playing | `pause` | playing | send the status, pause |
/// | publishing, playing | `deleteStream`, `closeStream`, `FCUnpublish` | idle | stopped |
/// | any | bytes that are not RTMP | closed | close |
public struct RTMPServerSession: Sendable {
    /// The most bytes that may wait for a decision. FFmpeg sends about 500 behind `connect`.
    public static let maximumWaitingByteCount = 1 << 20
    /// The most bytes in a chunk to a client that connects; FFmpeg then sends chunks of the same length.
    private static let chunkByteCount = 65_536

    enum State: Sendable {
        case handshake(ServerHandshake)
        case open
        case deciding(Decision)
        case idle
        case publishing(streamID: UInt32)
        case playing(streamID: UInt32)
        case closed
    }

    /// What the caller has to decide.
    enum Decision: Sendable {
        case connect(ConnectParameters, transaction: Double)
        case publish(streamID: UInt32, path: String)
        case play(streamID: UInt32, path: String)
    }

    var state: State
    var orders: [ServerOrder] = []
    /// What the client said when it connected; `nil` before that.
    public internal(set) var parameters: ConnectParameters?
    /// The number of the last message stream that was created.
    var lastStreamID: UInt32 = 0
    private var channel: MessageChannel
    /// What a publisher may send.
    private let limits: ChunkReader.Limits

    /// - Parameters:
    ///   - random: 3 072 random bytes.
    ///   - authenticationCode: gives HMAC-SHA-256, for clients that need digests in the handshake; `nil` for a simple answer. It is
    ///     called if the client may have a digest.
    ///   - limits: what a publisher may send. All other clients may send much less.
    public init(
        random: [UInt8], authenticationCode: @escaping @Sendable () -> AuthenticationCode? = { nil },
        limits: ChunkReader.Limits = .init()
    ) {
        state = .handshake(ServerHandshake(random: random, authenticationCode: authenticationCode))
        channel = MessageChannel(limits: .commands)
        self.limits = limits
    }

    /// Whether a decision is outstanding, so that the caller should not read from the socket.
    public var isWaiting: Bool {
        if case .deciding = state { true } else { false }
    }

    /// Bytes that the client has not acknowledged; `nil` before its first acknowledgement.
    public var bytesInFlight: UInt64? { channel.bytesInFlight }

    /// How media is sent to the player; `nil` if the client does not play.
    public var framing: MediaFraming? {
        guard case .playing(let streamID) = state else { return nil }
        return MediaFraming(for: .player, streamID: streamID)
    }

    /// Bytes of the client have come.
    public mutating func received(_ bytes: RawSpan) {
        channel.received(byteCount: bytes.byteCount)
        do throws(RTMPError) {
            switch state {
            case .closed: return
            case .handshake(let handshake): try advance(handshake, bytes)
            default:
                channel.append(bytes)
                if isWaiting, channel.waitingByteCount > Self.maximumWaitingByteCount {
                    close(.tooManyWaitingBytes(limit: Self.maximumWaitingByteCount))
                }
            }
        } catch {
            close(.protocolError(error))
        }
    }

    /// The next order; `nil` if more bytes or a decision is needed.
    public mutating func next() -> ServerOrder? {
        while orders.isEmpty {
            do throws(RTMPError) {
                guard try receiveMessage() else { return nil }
            } catch {
                close(.protocolError(error))
            }
        }
        return orders.removeFirst()
    }

    /// Media that the caller has written itself, with the ``framing``, was sent.
    public mutating func sentMedia(byteCount: Int) {
        channel.sent(byteCount: byteCount)
    }

    /// Asks the client for an answer, so that the connection of a silent player or publisher stays open in between.
    ///
    /// - Parameter milliseconds: any number; the client returns it.
    public mutating func ping(milliseconds: UInt32) {
        guard parameters != nil else { return }
        send(.userControl(.pingRequest(milliseconds)))
    }

    // MARK: - Input

    private mutating func advance(_ handshake: ServerHandshake, _ bytes: RawSpan) throws(RTMPError) {
        var handshake = handshake
        var step = try handshake.received(bytes)
        if case .send(let answer) = step {
            channel.sent(byteCount: answer.count)
            orders.append(.send(answer))
            step = try handshake.received([UInt8]().rawSpan)
        }
        state = .handshake(handshake)
        guard case .finished(let rest) = step else { return }
        state = .open
        channel.append(rest.rawSpan)
    }

    /// Reads a message if the state allows it; false if there is none.
    private mutating func receiveMessage() throws(RTMPError) -> Bool {
        switch state {
        case .closed, .deciding, .handshake: return false
        default: break
        }
        guard let (input, answer) = try channel.next() else { return false }
        if !answer.isEmpty { orders.append(.send(answer)) }
        switch input {
        case .media(let message): receivedMedia(message)
        case .command(let command, let streamID): try received(command, on: streamID)
        // The client's buffer and its bandwidth do not matter: media is sent as it comes.
        case .control, .other: break
        }
        return true
    }

    /// Media before `publish` is accepted, or of a client that plays, is dropped.
    private mutating func receivedMedia(_ message: Message) {
        guard case .publishing = state else { return }
        orders.append(.media(message))
    }

    /// The client may send media from now on.
    mutating func admitMedia() { channel.limit(to: limits) }

    // MARK: - Output

    mutating func send(_ control: ControlMessage) {
        orders.append(.send(channel.bytes(of: control)))
    }

    mutating func send(_ command: CommandMessage, streamID: UInt32 = 0) {
        orders.append(.send(channel.bytes(of: command, streamID: streamID)))
    }

    /// Announces the length of chunks, and uses it from now on.
    mutating func sendChunkSize(_ byteCount: Int = chunkByteCount) {
        orders.append(.send(channel.setChunkSize(byteCount)))
    }

    mutating func close(_ reason: ServerOrder.CloseReason) {
        state = .closed
        orders.append(.close(reason))
    }
}
