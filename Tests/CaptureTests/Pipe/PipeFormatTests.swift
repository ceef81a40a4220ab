import Media
import TestSupport
import Testing

@testable import Capture

@Suite struct PipeFormatTests {
    private static let packet: [UInt8] = [0x47] + [UInt8](repeating: 1, count: 187)
    private static let adts: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x01, 0x40, 0xFC, 1, 2, 3]

    private static let beginnings: [(PipeFormat, [UInt8])] = [
        (.mpegTS, packet + packet + packet + packet),
        (.mpegTS, [9, 9, 9] + packet + packet + packet + packet),
        (.programStream, [0, 0, 1, 0xBA, 0x44]),
        (.mp4, [0, 0, 0, 0x20] + Array("ftypisom".utf8)),
        (.mp4, [0, 0, 0, 8] + Array("moov".utf8)),
        (.matroska, [0x1A, 0x45, 0xDF, 0xA3, 1]),
        (.flv, Array("FLV".utf8) + [1, 5]),
        (.avi, Array("RIFF....AVI LIST".utf8)),
        (.wav, Array("RIFF....WAVEfmt ".utf8)),
        (.h265, [0, 0, 0, 1, 0x40, 0x01, 0x0C, 0x01]),
        (.h265, [0, 0, 0, 1, 0x46, 0x01, 0x10, 0, 0, 0, 1, 0x40, 0x01, 0x0C]),
        (.mpegVideo, [0, 0, 1, 0xB3, 0x14]),
        (.mpegVideo, [0, 0, 1, 0xB0, 0x01]),
        (.ivf, Array("DKIF".utf8)),
        (.ogg, Array("OggS".utf8)),
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
        (.y4m, Array("YUV4MPEG2 W640".utf8)),
        (.aac, adts + adts),
    ]

    @Test func eachFormatIsRecognisedByItsFirstBytes() {
        for (format, bytes) in Self.beginnings {
            #expect(PipeFormat(beginning: bytes) == format, "\(format)")
        }
        #expect(Set(Self.beginnings.map(\.0)) == Set(PipeFormat.allCases))
    }

    @Test func neitherH264NorNoiseIsAContainer() {
        for bytes in [
            [], [0, 0, 0, 1, 0x67, 0x42, 0xC0, 0x1F, 0, 0, 0, 1, 0x68, 0xCE], [0, 0, 1, 9, 0x10, 0, 0, 1, 0x67],
            [UInt8](repeating: 0x20, count: 2_048), Array("hello".utf8), Array(Self.packet.prefix(187)),
            Array(Self.adts),
        ] as [[UInt8]] {
            #expect(PipeFormat(beginning: bytes) == nil, "\(bytes.prefix(16))")
        }
    }
}

@Suite struct PipeStartupCheckTests {
    private static func milliseconds(_ count: Int64) -> MonotonicTime { .init(nanoseconds: count * 1_000_000) }

    @Test func aPipeWithoutInputIsReportedOnceAfterASecond() {
        var beginning = PipeStartupCheck(at: Self.milliseconds(100))
        #expect(beginning.notice(at: Self.milliseconds(1_099)) == nil)
        #expect(beginning.notice(at: Self.milliseconds(1_100)) == .isWaiting)
        #expect(beginning.notice(at: Self.milliseconds(9_000)) == nil)
    }

    @Test func inputWithoutFramesIsReportedOnceAfterFiveSeconds() {
        var beginning = PipeStartupCheck(at: Self.milliseconds(0))
        #expect(beginning.notice(at: Self.milliseconds(1_000)) == .isWaiting)
        beginning.received([0, 0, 1, 0x41], at: Self.milliseconds(2_000))
        #expect(beginning.notice(at: Self.milliseconds(6_999)) == nil)
        #expect(beginning.notice(at: Self.milliseconds(7_000)) == .hasNoFrame)
        #expect(beginning.notice(at: Self.milliseconds(20_000)) == nil)
    }

    @Test func aFormatIsRecognisedFromInputInPieces() {
        var beginning = PipeStartupCheck(at: Self.milliseconds(0))
        for byte in [0, 0, 0, 8] + Array("ftyp".utf8) {
            #expect(beginning.format == nil)
            beginning.received([byte], at: Self.milliseconds(1))
        }
        #expect(beginning.format == .mp4)
        // libavformat needs all bytes from the first on.
        #expect(beginning.head == [0, 0, 0, 8] + Array("ftyp".utf8))
    }

    @Test func waitingIsLoggedOnceAMinuteForAllRunsOfASource() {
        let lines = LoggedLines()
        let inputLog = PipeInputLog(log: lines.log)
        for second in [1, 30, 60, 61, 90] as [Int64] {
            inputLog.isWaiting(for: "/run/cam", at: Self.milliseconds(second * 1_000))
        }
        let line = "notice: no input yet: waiting for a program that writes to /run/cam"
        #expect(lines.all == [line, line])
    }
}
