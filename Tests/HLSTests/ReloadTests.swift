import Testing

@testable import HLS

/// Blocking reload (RFC 8216bis, section 6.2.5.2): one row per rule.
struct ReloadTests {
    private func directives(_ query: [String: String]) throws(ReloadDirectives.Failure) -> ReloadDirectives {
        try ReloadDirectives { query[$0] }
    }

    /// The segments 0 to 2 are finished, with five parts each; two parts of segment 3 are.
    private var segmenter: Segmenter<[UInt8]> {
        var recording = Recording()
        recording.play(3_500)
        return recording.segmenter
    }

    private func part(_ segment: Int64, _ part: Int) -> ReloadDirectives.Answer {
        .onceFinished(.part(PlaylistPosition(segment: segment, part: part)))
    }

    @Test func directivesAreRead() throws {
        #expect(try directives([:]).goal == nil)
        #expect(try directives(["_HLS_msn": "7"]).goal == .segment(7))
        let both = try directives(["_HLS_msn": "7", "_HLS_part": "2", "_HLS_skip": "YES"])
        #expect(both.goal == .part(PlaylistPosition(segment: 7, part: 2)) && both.isDelta)
        #expect(try directives(["_HLS_skip": "v2"]).isDelta)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "0x10", "x", " 1", "12345678901234567", "٣"])
    func whatIsNoNumberIsRefused(text: String) {
        #expect(throws: ReloadDirectives.Failure.malformedNumber) { try directives(["_HLS_msn": text]) }
        #expect(throws: ReloadDirectives.Failure.malformedNumber) {
            try directives(["_HLS_msn": "1", "_HLS_part": text])
        }
    }

    @Test func aPartNeedsASegment() {
        #expect(throws: ReloadDirectives.Failure.partWithoutSegment) { try directives(["_HLS_part": "1"]) }
    }

    @Test func anUnknownSkipIsRefused() {
        #expect(throws: ReloadDirectives.Failure.unknownSkip) { try directives(["_HLS_skip": "yes"]) }
    }

    @Test(
        arguments: [
            // Without a goal, and for what is there or has been there, at once.
            ([:], .now), (["_HLS_msn": "0"], .now), (["_HLS_msn": "2"], .now),
            (["_HLS_msn": "3", "_HLS_part": "1"], .now),
            (["_HLS_msn": "1", "_HLS_part": "4"], .now),
            // A whole segment is there when it is finished.
            (["_HLS_msn": "3"], .onceFinished(.segment(3))),
            (["_HLS_msn": "4"], .onceFinished(.segment(4))),
            // A part that an older segment does not have is the first one of the next, which is there.
            (["_HLS_msn": "1", "_HLS_part": "9"], .now), (["_HLS_msn": "2", "_HLS_part": "5"], .now),
        ] as [([String: String], ReloadDirectives.Answer)])
    func requestsAreAnsweredOrWait(query: [String: String], answer: ReloadDirectives.Answer) throws {
        #expect(try directives(query).answer(by: segmenter) == answer)
    }

    @Test func requestsWaitForParts() throws {
        for (segment, index) in [(3, 2), (3, 9), (4, 0), (4, 3)] {
            let wanted = try directives(["_HLS_msn": "\(segment)", "_HLS_part": "\(index)"])
            #expect(try wanted.answer(by: segmenter) == part(Int64(segment), index))
        }
    }

    @Test(arguments: ["5", "6", "1000000", "9999999999999999"])
    func whatIsTooFarAheadIsRefused(segment: String) throws {
        for query in [["_HLS_msn": segment], ["_HLS_msn": segment, "_HLS_part": "0"]] {
            let wanted = try directives(query)
            #expect(throws: ReloadDirectives.Failure.tooFarAhead) { try wanted.answer(by: segmenter) }
        }
    }

    @Test func anEndedPlaylistIsAnsweredAtOnce() throws {
        #expect(try directives(["_HLS_msn": "4"]).answer(by: segmenter, hasEnded: true) == .now)
    }

    /// If a segment is finished, a part beyond its last is the first of the next segment.
    @Test func aPartBeyondTheLastWaitsForTheNextSegment() throws {
        var recording = Recording()
        recording.play(3_000)
        recording.frame(isKeyframe: true)
        #expect(recording.segmenter.edge == PlaylistPosition(segment: 3, part: 0))
        let beyond = ReloadDirectives.Goal.part(PlaylistPosition(segment: 2, part: 5))
        #expect(recording.segmenter.hasFinished(.part(PlaylistPosition(segment: 2, part: 4))))
        #expect(!recording.segmenter.hasFinished(beyond))
        recording.now += 40
        recording.play(240, group: 1_000_000)
        #expect(recording.segmenter.edge == PlaylistPosition(segment: 3, part: 1))
        #expect(recording.segmenter.hasFinished(beyond))
    }
}

struct ResourceNameTests {
    @Test(
        arguments: [
            ("3f-7.mp4", .segment(run: "3f", 7)), ("0-1795338547.mp4", .segment(run: "0", 1_795_338_547)),
            ("3f-7-2.mp4", .part(run: "3f", PlaylistPosition(segment: 7, part: 2))),
            ("3f-init1.mp4", .initSegment(run: "3f", 1)),
        ] as [(String, ResourceName)])
    func namesAreReadAsTheyAreWritten(text: String, name: ResourceName) {
        #expect(ResourceName(text) == name)
        #expect(name.text == text)
    }

    @Test(arguments: [
        "", ".mp4", "-.mp4", "3f.mp4", "3f-.mp4", "3f-x.mp4", "3f-07.mp4", "3f-+7.mp4", "3f-7-.mp4", "3f-7-1-2.mp4",
        "3F-7.mp4", "xy-7.mp4", "3f-init.mp4", "3f-init01.mp4", "3f-99999999999999999999.mp4", "3f-7.MP4", "3f-7.m3u8",
        "3f-7.mp4/", "é-7.mp4",
    ])
    func whatIsNoNameIsNotRead(text: String) {
        #expect(ResourceName(text) == nil)
    }
}

struct PlaylistNameTests {
    @Test(arguments: [("all-0.m3u8", PlaylistName(.all, 0)), ("audio-12.m3u8", PlaylistName(.audio, 12))])
    func namesAreReadAsTheyAreWritten(text: String, name: PlaylistName) {
        #expect(PlaylistName(text) == name)
        #expect(name.text == text)
    }

    @Test(arguments: ["", ".m3u8", "all.m3u8", "all-.m3u8", "all-00.m3u8", "all--1.m3u8", "ALL-0.m3u8", "all-0.m3u8 "])
    func whatIsNoNameIsNotRead(text: String) {
        #expect(PlaylistName(text) == nil)
    }
}
