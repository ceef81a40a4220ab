import RTSP
import Testing

@testable import HTTPServer

struct ClientMessageTests {
    private func read(_ text: String) throws(ClientMessage.Failure) -> ClientMessage {
        try ClientMessage(parsing: Array(text.utf8))
    }

    @Test func messagesAreRead() throws {
        #expect(try read(#"{"type":"ping","id":7}"#) == .ping(id: 7))
        #expect(try read(#"{"type":"subscribe","topic":"streams"}"#) == .subscribe(.streams))
        #expect(
            try read(#"{"topic":"viewers","path":"/a b","type":"subscribe"}"#) == .subscribe(.viewers(path: "/a b")))
        #expect(try read(#"{"type":"subscribe","topic":"events"}"#) == .subscribe(.events))
        #expect(try read(#"{"type":"unsubscribe","topic":"log"}"#) == .unsubscribe(.unknown("log")))
        #expect(try read(#"{"type":"later","more":[1,{"a":null}]}"#) == .unknown(type: "later"))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "7", #"{"type":7}"#, #"{"type":"ping"}"#, #"{"type":"ping","id":"7"}"#,
        #"{"type":"ping","id":1e99}"#, #"{"type":"subscribe"}"#, #"{"type":"subscribe","topic":"viewers"}"#,
        #"{"type":"ping","id":7"#, #"{"type":"ping","id":7}}"#, "{\"type\":\"\u{0}",
    ])
    func whatIsNoMessageIsMalformed(text: String) {
        #expect(throws: ClientMessage.Failure.malformed) { try read(text) }
    }

    @Test func aMessageIsBounded() {
        #expect(throws: ClientMessage.Failure.tooLong) { try read(String(repeating: " ", count: 4_097)) }
        let nested = String(repeating: "[", count: 2_000) + String(repeating: "]", count: 2_000)
        #expect(throws: ClientMessage.Failure.malformed) { try read(nested) }
    }
}

struct SocketTopicsTests {
    private let everything = ClientRights(user: nil, free: [.read, .status], signIn: nil)

    private func stream(_ path: String, state: Int = 0, content: Int = 0) -> CatalogStream {
        CatalogStream(path: path, state: state, content: content) { rights in
            Array("\"\(path) \(state) \(content) \(rights.count)\"".utf8)
        }
    }

    private func texts(
        _ topics: inout SocketTopics, _ streams: [CatalogStream], isForAll: Bool = false, _ rights: ClientRights? = nil
    ) -> [String] {
        topics.messages(about: streams, isForAll: isForAll, for: rights ?? everything).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private func subscribe(_ topics: inout SocketTopics, _ topic: ClientMessage.Topic, isAccepted: Bool = true) {
        let answer = topics.subscribe(topic)
        #expect(answer == isAccepted)
    }

    @Test func statesAreToldAtOnceAndTheRestOnceASecond() {
        var topics = SocketTopics()
        topics.stream = "/a"
        let first = #"{"stream":"/a 0 0 2","type":"stream"}"#
        #expect(texts(&topics, [stream("/a"), stream("/b")]) == [first])
        #expect(texts(&topics, [stream("/a", content: 1)]).isEmpty)
        #expect(
            texts(&topics, [stream("/a", content: 1)], isForAll: true) == [#"{"stream":"/a 0 1 2","type":"stream"}"#])
        #expect(texts(&topics, [stream("/a", content: 1)], isForAll: true).isEmpty)
        #expect(texts(&topics, [stream("/a", state: 1)]).count == 1)
    }

    @Test func aSubscriberGetsAllStreamsAndThenTheChanges() {
        var topics = SocketTopics()
        subscribe(&topics, .streams)
        #expect(
            texts(&topics, [stream("/a"), stream("/b")])
                == [#"{"isComplete":true,"removed":[],"streams":["/a 0 0 2","/b 0 0 2"],"type":"streams"}"#])
        #expect(texts(&topics, [stream("/a"), stream("/b")]).isEmpty)
        #expect(
            texts(&topics, [stream("/a", state: 1), stream("/c")])
                == [#"{"isComplete":false,"removed":["/b"],"streams":["/a 1 0 2","/c 0 0 2"],"type":"streams"}"#])
        topics.unsubscribe(.streams)
        #expect(texts(&topics, [stream("/d")]).isEmpty)
    }

    @Test func aClientLearnsOnlyOfStreamsThatItMayWatch() {
        let rights = ClientRights(user: Grant(user: "ann", [.read: [PathPattern("a")!]]), free: [], signIn: nil)
        var topics = SocketTopics()
        subscribe(&topics, .streams)
        #expect(
            texts(&topics, [stream("/a"), stream("/b")], rights)
                == [#"{"isComplete":true,"removed":[],"streams":["/a 0 0 1"],"type":"streams"}"#])
    }

    @Test func theViewersOfAFewPathsAreTold() {
        var topics = SocketTopics()
        for index in 0..<16 { subscribe(&topics, .viewers(path: "/\(index)")) }
        subscribe(&topics, .viewers(path: "/16"), isAccepted: false)
        subscribe(&topics, .viewers(path: "/3"))
        topics.unsubscribe(.viewers(path: "/3"))
        subscribe(&topics, .viewers(path: "/16"))
        subscribe(&topics, .unknown("x"), isAccepted: false)
    }
}
