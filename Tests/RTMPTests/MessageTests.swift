import Testing

@testable import RTMP

@Suite struct MessageTests {
    @Test func controlMessagesAreReadAsTheyWereWritten() throws {
        let messages: [ControlMessage] = [
            .setChunkSize(byteCount: 4096), .acknowledgement(byteCount: .max), .setPeerBandwidth(byteCount: 1),
            .windowAcknowledgementSize(byteCount: 2_500_000), .userControl(.streamBegin(streamID: 1)),
            .userControl(.streamEnd(streamID: 1)), .userControl(.streamDry(streamID: 2)),
            .userControl(.setBufferLength(streamID: 1, milliseconds: 3000)),
            .userControl(.streamIsRecorded(streamID: 1)),
            .userControl(.pingRequest(7)), .userControl(.pingResponse(8)),
        ]
        for message in messages {
            #expect(try ControlMessage(message.message) == message)
            var payload = message.message.payload
            payload.removeLast(message == .setPeerBandwidth(byteCount: 1) ? 2 : 1)
            let cut = Message(message.message.type, payload: payload)
            #expect(throws: RTMPError.truncatedMessage(cut.type)) { try ControlMessage(cut) }
        }
    }

    @Test func unknownEventsAreIgnored() throws {
        #expect(try ControlMessage(Message(.userControl, payload: [0, 31, 0, 0, 0, 1])) == nil)
        #expect(try ControlMessage(Message(MessageType(rawValue: 99), payload: [])) == nil)
    }

    @Test func aCommandInTheEnvelopeOfAMF3IsRead() throws {
        let command = CommandMessage("publish", transaction: 5, .string("cam"), .string("live"))
        let message = command.message(streamID: 1)
        #expect(try CommandMessage(message) == command)
        #expect(try CommandMessage(Message(.commandAMF3, streamID: 1, payload: [0] + message.payload)) == command)
    }

    @Test func codecsOfEnhancedPlayersAreKnown() {
        let list: AMF0.Object = ["fourCcList": .strictArray([.string("av01"), .string("hvc1")])]
        #expect(ConnectParameters(list).codecs == [.h265])
        let all: AMF0.Object = ["fourCcList": .strictArray([.string("*")])]
        #expect(ConnectParameters(all).codecs == [.h265, .opus])
        let maps: AMF0.Object = [
            "videoFourCcInfoMap": .object(["hvc1": .number(2)]), "audioFourCcInfoMap": .object(["Opus": .number(1)]),
        ]
        // 2 is the flag of an encoder.
        #expect(ConnectParameters(maps).codecs == [.opus])
    }

    @Test func metadataIsReadWithAndWithoutItsCommand() throws {
        let object: AMF0.Object = [
            "title": .string("Yard"), "comment": .string("North"), "videocodecid": .number(7), "width": .number(640),
            "audiocodecid": .number(0), "encoder": .string("Lavf59.27.100"),
        ]
        for command in [["@setDataFrame"], []] {
            let values = command.map { AMF0.Value.string($0) } + [.string("onMetaData"), .ecmaArray(object)]
            let metadata = try StreamMetadata(Message(.dataAMF0, payload: AMF0.bytes(of: values)))
            #expect(metadata?.title == "Yard")
            #expect(metadata?.description == "North")
            #expect(metadata?.hasVideo == true)
            #expect(metadata?.hasAudio == false)
        }
        #expect(try StreamMetadata(Message(.dataAMF0, payload: AMF0.bytes(of: [.string("onTextData")]))) == nil)
    }

    /// The forms of URLs: what each client sends as application, name and URL.
    @Test(arguments: [
        ("cam", "", "rtmp://host/cam", "/cam", ""),
        ("live", "cam?user=u&pass=p", "rtmp://host/live", "/live/cam", "user=u&pass=p"),
        ("live/", "cam", "'rtmp://host/live/'", "/live/cam", ""),
        ("live/inst", "cam", "rtmp://host/live/inst", "/live/inst/cam", ""),
        (
            "live?clientConfigId=1", "cam?key=2", "rtmp://host/live?clientConfigId=1", "/live/cam",
            "key=2&clientConfigId=1"
        ),
        ("live", "cam", "rtmp://host/live?a=1", "/live/cam", "a=1"),
        ("", "cam", "rtmp://host/", "/cam", ""),
        ("live?k=v?authmod=adobe&user=u", "cam", "", "/live/cam", "k=v"),
    ])
    func pathAndQueryDoNotDependOnTheClient(app: String, name: String, url: String, path: String, query: String) {
        let parameters = ConnectParameters(["app": .string(app), "tcurl": .string(url)])
        let address = StreamAddress(parameters, streamName: name)
        #expect(address.path == path)
        #expect(address.query == query)
    }
}
