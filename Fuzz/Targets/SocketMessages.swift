import Fuzzing

@testable import HTTPServer

/// Properties of the messages of WebSocket clients, one per line: a message reads the same when it is written again; a client
/// follows a bounded number of paths.
@Sendable func fuzzSocketMessages(_ input: [UInt8]) {
    var topics = SocketTopics()
    for line in input.split(separator: 0x0A, omittingEmptySubsequences: true).map(Array.init) {
        guard let message = try? ClientMessage(parsing: line) else { continue }
        require(line.count <= ClientMessage.maximumByteCount, "a message is bounded")
        require((try? ClientMessage(parsing: Array(text(of: message).utf8))) == message, "\(message) reads the same")
        switch message {
        case .subscribe(let topic):
            let isAccepted = topics.subscribe(topic)
            if case .viewers(let path) = topic {
                require(topics.viewers.contains(path) == isAccepted, "\(path) is told")
            }
        case .unsubscribe(let topic):
            topics.unsubscribe(topic)
            if case .viewers(let path) = topic { require(!topics.viewers.contains(path), "\(path) is not told") }
        case .ping, .unknown: break
        }
        require(topics.viewers.count <= 16, "the number of paths is bounded")
    }
}

private func text(of message: ClientMessage) -> String {
    switch message {
    case .ping(let id): "{\"type\":\"ping\",\"id\":\(id)}"
    case .subscribe(let topic): "{\"type\":\"subscribe\",\(text(of: topic))}"
    case .unsubscribe(let topic): "{\"type\":\"unsubscribe\",\(text(of: topic))}"
    case .unknown(let type): "{\"type\":\(quoted(type))}"
    }
}

private func text(of topic: ClientMessage.Topic) -> String {
    switch topic {
    case .streams: "\"topic\":\"streams\""
    case .events: "\"topic\":\"events\""
    case .viewers(let path): "\"topic\":\"viewers\",\"path\":\(quoted(path))"
    case .unknown(let name): "\"topic\":\(quoted(name))"
    }
}

private func quoted(_ text: String) -> String { String(decoding: json(text), as: UTF8.self) }
