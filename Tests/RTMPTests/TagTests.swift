import Media
import TestSupport
import Testing

@testable import RTMP

@Suite struct TagTests {
    /// The tags of a message; `nil` if any of them is malformed.
    private func tags(_ hexadecimal: String, _ type: MessageType = .video) -> [MediaTag]? {
        let (tags, malformedCount) = MediaTag.tags(in: Message(type, payload: bytes(hexadecimal)))
        return malformedCount == 0 ? tags : nil
    }

    /// As FFmpeg 9 sends them.
    @Test func messagesOfEnhancedRTMPAreRead() {
        #expect(
            tags("90 68766331 AABB") == [MediaTag(number: TrackNumber(0), codec: .h265, content: .configuration(5..<7))]
        )
        #expect(
            tags("91 68766331 000028 AA")
                == [MediaTag(number: TrackNumber(0), codec: .h265, content: .frame(compositionMilliseconds: 40, 8..<9))]
        )
        #expect(
            tags("a3 68766331 AA")
                == [MediaTag(number: TrackNumber(0), codec: .h265, content: .frame(compositionMilliseconds: 0, 5..<6))])
        #expect(tags("d4 68766331 AA") == [MediaTag(number: TrackNumber(0), codec: .h265, content: .other)])
        #expect(
            tags("96 00 61766331 01 AA") == [
                MediaTag(number: TrackNumber(1), codec: .h264, content: .configuration(7..<8))
            ])
        #expect(
            tags("90 4f707573 AA", .audio) == [
                MediaTag(number: TrackNumber(0), codec: .opus, content: .configuration(5..<6))
            ])
        #expect(tags("94 4f707573 AA", .audio) == [MediaTag(number: TrackNumber(0), codec: .opus, content: .other)])
        #expect(
            tags("91 4f707573 AA", .audio)
                == [MediaTag(number: TrackNumber(0), codec: .opus, content: .frame(compositionMilliseconds: 0, 5..<6))])
        // A codec of the other kind is none.
        #expect(tags("90 68766331", .audio)?.map(\.codec) == [.unsupported("FourCC hvc1")])
        #expect(tags("90 61763031")?.map(\.codec) == [.unsupported("AV1")])
        #expect(tags("90 664c6143", .audio)?.map(\.codec) == [.unsupported("FLAC")])
    }

    @Test func severalTracksInOneMessageAreRead() {
        #expect(
            tags("96 11 68766331 00 000004 000001AA 01 000005 FFFFFFBBCC")
                == [
                    MediaTag(
                        number: TrackNumber(0), codec: .h265, content: .frame(compositionMilliseconds: 1, 13..<14)),
                    MediaTag(
                        number: TrackNumber(1), codec: .h265, content: .frame(compositionMilliseconds: -1, 21..<23)),
                ])
        #expect(
            tags("95 20 4f707573 00 000001 AA 6d703461 01 000001 BB", .audio)
                == [
                    MediaTag(number: TrackNumber(0), codec: .opus, content: .configuration(10..<11)),
                    MediaTag(number: TrackNumber(1), codec: .aac, content: .configuration(19..<20)),
                ])
        #expect(tags("96 11 68766331 00 000100 000001AA") == nil)
        #expect(tags("96 31 68766331 00") == nil)
    }

    @Test func extensionsAreSkipped() {
        #expect(
            tags("97 02 000001 01 68766331 000000 AA")
                == [
                    MediaTag(number: TrackNumber(0), codec: .h265, content: .frame(compositionMilliseconds: 0, 13..<14))
                ])
        #expect(tags("97 FF 0100 AA") == nil)
    }

    @Test func messagesWithoutFourCCAreRead() {
        #expect(
            tags("27 01 FFFFF6 AA")
                == [
                    MediaTag(number: TrackNumber(0), codec: .h264, content: .frame(compositionMilliseconds: -10, 5..<6))
                ])
        #expect(
            tags("1C 00 000000 AA") == [MediaTag(number: TrackNumber(0), codec: .h265, content: .configuration(5..<6))])
        #expect(
            tags("AF 00 1190", .audio) == [
                MediaTag(number: TrackNumber(0), codec: .aac, content: .configuration(2..<4))
            ])
        #expect(tags("2F FF", .audio)?.map(\.codec) == [.unsupported("MP3")])
        #expect(tags("F0 FF", .audio)?.map(\.codec) == [.unsupported("audio codec 15")])
        #expect(tags("") == [])
        #expect(tags("17 01 00") == nil)
        #expect(tags("57 00") == [MediaTag(number: TrackNumber(0), codec: .h264, content: .other)])
    }
}
