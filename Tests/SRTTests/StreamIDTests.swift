import Testing

@testable import SRT

@Suite struct StreamIDTests {
    struct Sample: CustomTestStringConvertible {
        let client: String
        /// The bytes of the handshake, without padding.
        let sent: String
        let read: SRTStreamID

        var testDescription: String { "\(client): \(sent)" }
    }

    /// What clients send for the URL that their users paste: ffmpeg and VLC do not decode the query of a URL.
    static let samples: [Sample] = [
        Sample(
            client: "ffmpeg, streamid=%23!::r=cam,m=request", sent: "%23!::r=cam,m=request",
            read: SRTStreamID(path: "cam", mode: .request)),
        Sample(
            client: "ffmpeg, streamid=#!::r=cam,m=request", sent: "#!::r=cam,m=request",
            read: SRTStreamID(path: "cam", mode: .request)),
        Sample(
            client: "VLC", sent: "%23!::r=live/yard,m=request,u=ann,s=se%20same",
            read: SRTStreamID(path: "live/yard", mode: .request, user: "ann", password: "se same")),
        Sample(
            client: "GStreamer decodes", sent: "#!::r=cam,m=publish,u=ann,s=50%25",
            read: SRTStreamID(path: "cam", mode: .publish, user: "ann", password: "50%25")),
        Sample(
            client: "OBS", sent: "publish:live/yard:ann:sesame",
            read: SRTStreamID(path: "live/yard", mode: .publish, user: "ann", password: "sesame")),
        Sample(
            client: "MediaMTX, with query", sent: "publish:cam:ann:sesame:token=1:2",
            read: SRTStreamID(path: "cam", mode: .publish, user: "ann", password: "sesame", query: "token=1:2")),
        Sample(client: "MediaMTX, without user", sent: "read:cam", read: SRTStreamID(path: "cam", mode: .request)),
        Sample(
            client: "MediaMTX, only a query", sent: "read:cam:::token=1",
            read: SRTStreamID(path: "cam", mode: .request, password: "", query: "token=1")),
        Sample(
            client: "srt-live-transmit", sent: "#!::h=host,r=/cam,m=publish,t=stream",
            read: SRTStreamID(path: "/cam", mode: .publish)),
        Sample(
            client: "the standard's default mode", sent: "#!::u=ann,r=cam",
            read: SRTStreamID(path: "cam", mode: .request, user: "ann")),
        Sample(
            client: "both directions", sent: "#!::r=cam,m=bidirectional",
            read: SRTStreamID(path: "cam", mode: .bidirectional)),
        Sample(client: "a path", sent: "live/yard", read: SRTStreamID(path: "live/yard", mode: .request)),
        Sample(client: "an encoded path", sent: "live%2Fyard", read: SRTStreamID(path: "live/yard", mode: .request)),
        Sample(client: "a path with a colon", sent: "cam:1", read: SRTStreamID(path: "cam:1", mode: .request)),
        Sample(client: "a percent sign", sent: "100%", read: SRTStreamID(path: "100%", mode: .request)),
        Sample(client: "a path named as an action", sent: "read", read: SRTStreamID(path: "read", mode: .request)),
        Sample(client: "nothing", sent: "", read: SRTStreamID(path: nil, mode: .request)),
        Sample(client: "only a mode", sent: "#!::m=publish", read: SRTStreamID(path: nil, mode: .publish)),
        Sample(client: "the first value counts", sent: "#!::r=a,r=b", read: SRTStreamID(path: "a", mode: .request)),
    ]

    @Test(arguments: samples)
    func whatClientsSendIsRead(sample: Sample) throws {
        #expect(try SRTStreamID(parsing: Array(sample.sent.utf8)) == sample.read)
        // libsrt pads to whole words.
        #expect(try SRTStreamID(parsing: Array(sample.sent.utf8) + [0, 0, 0]) == sample.read)
    }

    /// A comma in a value cannot be told from one between two keys.
    @Test func aCommaSeparatesKeysEvenIfItWasEncoded() {
        #expect(throws: SRTStreamIDError.malformedKey("same")) {
            try SRTStreamID(parsing: Array("%23!::r=live/yard,m=request,u=ann,s=se%2Csame".utf8))
        }
    }

    @Test func whatIsWrittenIsRead() throws {
        let ids = [
            SRTStreamID(path: "live/yard", mode: .publish, user: "ann", password: "se=same"),
            SRTStreamID(path: "cam", mode: .request), SRTStreamID(path: nil, mode: .bidirectional),
            SRTStreamID(path: "\u{301}cam", mode: .request, user: "\u{301}", password: "\u{301}"),
        ]
        for id in ids { #expect(try SRTStreamID(parsing: Array(#require(id.text).utf8)) == id) }
        #expect(SRTStreamID(path: "a,b", mode: .request).text == nil)
        #expect(SRTStreamID(path: "a,\u{301}b", mode: .request).text == nil)
        #expect(SRTStreamID(path: String(repeating: "a", count: 512), mode: .request).text == nil)
    }

    @Test func malformedIdsAreRejectedWithAReason() {
        let samples: [(bytes: [UInt8], error: SRTStreamIDError, rejection: SRTRejection)] = [
            ([0xFF, 0xFE], .notUTF8, .badRequest),
            (Array("cam\n".utf8), .controlCharacter, .badRequest),
            (Array("cam%0Ayard".utf8), .controlCharacter, .badRequest),
            (Array("%23!::r=cam%00".utf8), .controlCharacter, .badRequest),
            (Array("#!::r".utf8), .malformedKey("r"), .badRequest),
            (Array("#!::r=cam,m=steal".utf8), .unknownMode("steal"), .unsupportedMode),
            (Array("#!::r=cam,t=file".utf8), .unsupportedType("file"), .unsupportedMedia),
            ([UInt8](repeating: 0x61, count: 513), .tooLong, .badRequest),
        ]
        for sample in samples {
            let error = #expect(throws: SRTStreamIDError.self) { try SRTStreamID(parsing: sample.bytes) }
            #expect(error == sample.error)
            #expect(error?.rejection == sample.rejection)
        }
        #expect(throws: Never.self) { try SRTStreamID(parsing: [UInt8](repeating: 0x61, count: 512)) }
    }

    /// No bytes of a handshake trap, and what is read again from its own text is the same.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func anyBytesAreReadOrRejected(seed: UInt64) {
        var random = Numbers(state: seed)
        let alphabet = Array("#!:%23ruamps=,/ab\u{e9}".utf8)
        let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0
        }
        guard let id = try? SRTStreamID(parsing: bytes), let text = id.text else { return }
        #expect((try? SRTStreamID(parsing: Array(text.utf8)))?.path == id.path)
    }
}

/// Xorshift.
struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &*= 0x9E37_79B9_7F4A_7C15
        state ^= state >> 29
        state &+= 0x632B_E59B_D9B4_E019
        return state &* 0xD6E8_FEB8_6659_FD93
    }
}
