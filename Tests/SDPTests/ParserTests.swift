import Media
import SDP
import Testing

@Suite struct ParserTests {
    @Test func everyLineIsParsed() throws {
        let description = try SessionDescription(
            parsing: """
                v=0
                o=jdoe 3724394400 3724394405 IN IP4 198.51.100.1
                s=Call to John Smith
                i=SDP Offer #1
                u=http://www.jdoe.example.com/home.html
                e=Jane Doe <jane@jdoe.example.com>
                p=+1 617 555-6011
                c=IN IP4 224.2.1.1/127/3
                b=AS:128
                t=3724394400 3724398000
                a=recvonly
                m=audio 49170/2 RTP/AVP 0 8
                i=the sound
                c=IN IP6 ff15::101/3
                b=TIAS:64000
                a=ptime:20
                m=video 51372 RTP/AVP 99
                a=rtpmap:99 h263-1998/90000
                """)
        let expected = SessionDescription(
            origin: .init(
                userName: "jdoe", sessionID: 3_724_394_400, version: 3_724_394_405, address: "198.51.100.1"),
            name: "Call to John Smith", information: "SDP Offer #1",
            connection: .init(ipVersion: .ipv4, address: "224.2.1.1", timeToLive: 127, addressCount: 3),
            bandwidths: [Bandwidth(kind: "AS", value: 128)],
            timing: .init(start: 3_724_394_400, stop: 3_724_398_000), attributes: [Attribute("recvonly")],
            media: [
                MediaDescription(
                    kind: "audio", port: 49_170, portCount: 2, transport: "RTP/AVP", formats: ["0", "8"],
                    information: "the sound",
                    connection: .init(ipVersion: .ipv6, address: "ff15::101", addressCount: 3),
                    bandwidths: [Bandwidth(kind: "TIAS", value: 64_000)], attributes: [Attribute("ptime", "20")]),
                MediaDescription(
                    kind: "video", port: 51_372, transport: "RTP/AVP", formats: ["99"],
                    attributes: [Attribute("rtpmap", "99 h263-1998/90000")]),
            ])
        #expect(description == expected)
    }

    @Test(arguments: [
        ("", 1, SessionDescription.ParseError.Reason.missingVersion),
        ("\r\n\r\n", 1, .missingVersion),
        ("RTSP/1.0 200 OK\r\n", 1, .missingVersion),
        ("s=first\r\nv=0\r\n", 1, .missingVersion),
        ("v=1\r\n", 1, .unsupportedVersion),
        ("v=0\r\n\r\ns=x\r\n=x\r\n", 4, .malformedLine),
        ("v=0\r\nhello\r\n", 2, .malformedLine),
        ("v=0\nA=x\n", 2, .malformedLine),
        ("v=0\rs=x\rm=video\r", 3, .malformedMedia),
        ("v=0\nm=video 0 RTP/AVP\n", 2, .malformedMedia),
        ("v=0\nm=video -1 RTP/AVP 96\n", 2, .malformedMedia),
        ("v=0\nm=video 65536 RTP/AVP 96\n", 2, .malformedMedia),
        ("v=0\nm=video 99999999999999999999999 RTP/AVP 96\n", 2, .malformedMedia),
        ("v=0\nm=video 0/0 RTP/AVP 96\n", 2, .malformedMedia),
        ("v=0\nm=video 0/1/1 RTP/AVP 96\n", 2, .malformedMedia),
        ("v=0\nm=video 0/ RTP/AVP 96\nm=video / RTP/AVP 96", 3, .malformedMedia),
    ])
    func anErrorContainsItsLine(text: String, line: Int, reason: SessionDescription.ParseError.Reason) {
        #expect(throws: SessionDescription.ParseError(line: line, reason: reason)) {
            try SessionDescription(parsing: text)
        }
    }

    @Test func sizeAndNumberOfMediaAreLimited() {
        let long = [UInt8]("v=0\r\n".utf8) + Array(repeating: 0x0A, count: SessionDescription.byteLimit)
        #expect(throws: SessionDescription.ParseError(line: 1, reason: .tooLong(limit: 65_536))) {
            try SessionDescription(parsing: long)
        }
        let many = "v=0\n" + String(repeating: "m=video 0 RTP/AVP 96\n", count: 65)
        #expect(throws: SessionDescription.ParseError(line: 66, reason: .tooManyMedia(limit: 64))) {
            try SessionDescription(parsing: many)
        }
    }

    @Test(arguments: [
        "c=IN IP4 224.2.1.1/1000", "c=IN IP4", "c=IN IP5 1.2.3.4", "c=IN IP4 /5", "c=IN IP4 224.2.1.1/1/0", "o=-",
        "o=- a b IN IP4 1.2.3.4", "o=- 1 99999999999999999999 IN IP4 1.2.3.4", "t=", "t=now later", "b=AS", "b=:5",
        "b=AS:-5", "a=", "a=:x", "i=", "s=", "x=what is this", "w=",
    ])
    func malformedOptionalLinesAreIgnored(line: String) throws {
        #expect(try SessionDescription(parsing: "v=0\r\n\(line)\r\n") == SessionDescription())
        let medium = try SessionDescription(parsing: "v=0\nm=video 0 RTP/AVP 96\n\(line)\n").media
        #expect(medium == [MediaDescription(kind: "video", port: 0, transport: "RTP/AVP", formats: ["96"])])
    }

    @Test(arguments: GoldenFiles.all)
    func allLineEndsAreAccepted(file: String) throws {
        let text = String(decoding: try GoldenFiles.bytes(file), as: UTF8.self)
        let whole = try SessionDescription(parsing: text)
        let lines = text.split(whereSeparator: { $0 == "\r\n" || $0 == "\n" })
        for lineEnd in ["\n", "\r", "\r\n", "\r\n\r\n", " \t\r\n", "\0"] {
            #expect(try SessionDescription(parsing: lines.joined(separator: lineEnd)) == whole)
            #expect(try SessionDescription(parsing: lines.joined(separator: lineEnd) + lineEnd + "\0\0\n") == whole)
        }
    }

    @Test func theFirstConnectionAndTimingAreUsed() throws {
        let description = try SessionDescription(
            parsing: "v=0\nt=1 2\nt=3 4\nc=IN IP4 1.2.3.4\nc=IN IP4 5.6.7.8\n")
        #expect(description.timing == .init(start: 1, stop: 2))
        #expect(description.connection?.address == "1.2.3.4")
    }
}
