import Media
import RTP
import Testing

struct SourceSelectionTests {
    private static let (announced, other) = (SSRC(1), SSRC(2))

    private static func selection(_ announced: SSRC?, isPrivate: Bool = false) -> SourceSelection {
        SourceSelection(announced: announced, isPrivate: isPrivate, patience: SourceSelection.mediaPatience)
    }

    private static func takes(_ selection: inout SourceSelection, _ source: SSRC, at milliseconds: Int64) -> Bool {
        selection.takes(source, at: MonotonicTime(nanoseconds: 0).advanced(byMilliseconds: milliseconds))
    }

    @Test func theAnnouncedSourceIsTakenAtOnce() {
        var selection = Self.selection(Self.announced)
        for time: Int64 in stride(from: 0, to: 480, by: 20) {
            #expect(!Self.takes(&selection, Self.other, at: time))
        }
        #expect(Self.takes(&selection, Self.announced, at: 490))
        #expect(!Self.takes(&selection, Self.other, at: 900))
        #expect(selection.current == Self.announced)
    }

    @Test func anotherTakesOverAfterHalfASecondWithoutTheCurrentSource() {
        var selection = Self.selection(Self.announced)
        let taken = stride(from: 0, through: 1_000, by: 20).first {
            Self.takes(&selection, Self.other, at: $0)
        }
        #expect(taken == 500)
        // The announced one wins when it comes, and keeps the track as long as it sends.
        #expect(Self.takes(&selection, Self.announced, at: 1_010))
        #expect(!Self.takes(&selection, Self.other, at: 1_500))
        #expect(Self.takes(&selection, Self.other, at: 1_510))
    }

    @Test func theFirstSourceIsTakenWithoutAnAnnouncementOrInAConnection() {
        for (announced, isPrivate) in [(nil, false), (nil, true), (Self.announced, true)] as [(SSRC?, Bool)] {
            var selection = Self.selection(announced, isPrivate: isPrivate)
            #expect(Self.takes(&selection, Self.other, at: 0))
            #expect(!Self.takes(&selection, SSRC(3), at: 499))
            #expect(Self.takes(&selection, SSRC(3), at: 500))
        }
    }
}
