/// The commands of the client.
extension RTMPServerSession {
    mutating func received(_ message: CommandMessage, on streamID: UInt32) throws(RTMPError) {
        let command = try Command(message)
        if case .connect(let parameters) = command {
            guard case .open = state else { throw .malformedCommand("connect, which came twice") }
            self.parameters = parameters
            state = .deciding(.connect(parameters, transaction: message.transaction))
            orders.append(.connect(ConnectRequest(parameters)))
            return
        }
        guard let parameters else { throw .malformedCommand("\(message.name) before connect") }
        switch command {
        case .publish(let name): begin(StreamAddress(parameters, streamName: name), on: streamID, isPublishing: true)
        case .play(let name): begin(StreamAddress(parameters, streamName: name), on: streamID, isPublishing: false)
        case .pause(let pause): received(pause)
        case .deleteStream, .closeStream: stop()
        case .fcUnpublish:
            answer(message, .undefined)
            stop()
        case .createStream:
            lastStreamID &+= 1
            answer(message, .number(Double(lastStreamID)))
        // A live stream has no length.
        case .streamLength: answer(message, .number(0))
        case .fcSubscribe(let name):
            answer(message, .undefined)
            let status = Status(.status, .playStart, "Subscribed to \(name).")
            send(CommandMessage("onFCSubscribe", transaction: 0, .object(status.object)))
        case .fcPublish(let name):
            answer(message, .undefined)
            let status = Status(.status, .publishStart, "Announced \(name).")
            send(CommandMessage("onFCPublish", transaction: 0, .object(status.object)))
        case .releaseStream, .checkBandwidth: answer(message, .undefined)
        // Unknown commands must not end the connection, and nothing is known about an answer.
        case .connect, .other: break
        }
    }

    /// Answers a command, unless its sender needs no answer.
    private mutating func answer(_ message: CommandMessage, _ value: AMF0.Value) {
        guard message.transaction != 0 else { return }
        send(CommandMessage("_result", transaction: message.transaction, value))
    }

    private mutating func begin(_ address: StreamAddress, on streamID: UInt32, isPublishing: Bool) {
        guard case .idle = state else {
            let code: StatusCode = isPublishing ? .publishFailed : .playFailed
            refuse(code, "a connection has one stream", on: streamID)
            return
        }
        if isPublishing {
            state = .deciding(.publish(streamID: streamID, path: address.path))
            orders.append(.publish(address))
        } else {
            state = .deciding(.play(streamID: streamID, path: address.path))
            orders.append(.play(address))
        }
    }

    private mutating func received(_ pause: Command.Pause) {
        guard case .playing(let streamID) = state else { return }
        let status =
            switch pause {
            case .pause: Status(.status, .paused, "Paused.")
            case .resume: Status(.status, .resumed, "Resumed.")
            }
        send(status.command, streamID: streamID)
        orders.append(.pause(pause))
    }

    /// "The server does not send any response" to deleteStream (Adobe's RTMP specification, section 7.2.2.3).
    private mutating func stop() {
        switch state {
        case .publishing, .playing:
            state = .idle
            orders.append(.stopped)
        default: break
        }
    }

    private mutating func refuse(_ code: StatusCode, _ reason: String, on streamID: UInt32) {
        send(Status(.error, code, reason).command, streamID: streamID)
        close(.refused(reason))
    }
}

/// The decisions of the caller.
extension RTMPServerSession {
    /// The client may stay connected.
    public mutating func acceptConnection() {
        guard case .deciding(.connect(_, let transaction)) = state else { return }
        state = .idle
        send(.windowAcknowledgementSize(byteCount: Acknowledgements.windowByteCount))
        send(.setPeerBandwidth(byteCount: Acknowledgements.windowByteCount))
        sendChunkSize()
        var information = Status(.status, .connectSuccess, "Connection succeeded.").object
        information.append("objectEncoding", .number(0))
        // The version is that of a server whose answers clients know; they compare only its first number.
        send(
            CommandMessage(
                "_result", transaction: transaction,
                object: .object(["fmsVer": .string("FMS/3,0,1,123"), "capabilities": .number(31)]),
                .object(information)))
    }

    /// The client must go.
    public mutating func rejectConnection(_ rejection: ConnectRejection) {
        guard case .deciding(.connect(_, let transaction)) = state else { return }
        let status = Status(.error, .connectRejected, rejection.description)
        send(CommandMessage("_error", transaction: transaction, .object(status.object)))
        close(.refused(rejection.reason))
    }

    /// The client may publish.
    public mutating func acceptPublishing() {
        guard case .deciding(.publish(let streamID, let path)) = state else { return }
        state = .publishing(streamID: streamID)
        admitMedia()
        send(.userControl(.streamBegin(streamID: streamID)))
        send(Status(.status, .publishStart, "Publishing \(path).").command, streamID: streamID)
    }

    /// The client may play. From now on, media is sent in messages of one chunk each (``FLVFrame``).
    public mutating func acceptPlaying() {
        guard case .deciding(.play(let streamID, let path)) = state else { return }
        state = .playing(streamID: streamID)
        sendChunkSize(MessageType.maximumByteCount)
        send(.userControl(.streamBegin(streamID: streamID)))
        send(Status(.status, .playReset, "Resetting \(path).").command, streamID: streamID)
        send(Status(.status, .playStart, "Playing \(path).").command, streamID: streamID)
    }

    /// The client may not publish or play what it asked for.
    public mutating func reject(_ code: StatusCode, _ reason: String) {
        switch state {
        case .deciding(.publish(let streamID, _)), .deciding(.play(let streamID, _)):
            refuse(code, reason, on: streamID)
        default: break
        }
    }

    /// Ends what the client publishes or plays, such as when another publisher takes over, and closes the connection.
    public mutating func end(_ code: StatusCode, _ reason: String) {
        switch state {
        case .publishing(let streamID): refuse(code, reason, on: streamID)
        case .playing(let streamID):
            send(.userControl(.streamEnd(streamID: streamID)))
            let level: Status.Level = code == .playFailed ? .error : .status
            send(Status(level, code, reason).command, streamID: streamID)
            close(.refused(reason))
        default: break
        }
    }
}
