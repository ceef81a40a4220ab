import Glibc
import Media
import TestSupport
import Testing

@testable import Codecs

/// Unusable chains, and their error messages.
@Suite struct VideoFilterFailureTests {
    private static let refused = [
        ("hqdnn3d", "the filters: No such filter: 'hqdnn3d'"),
        ("hqdn3d=loom=1", "Error initializing filter 'hqdn3d' with args 'loom=1'"),
        ("hqdn3d=loom=1", "Option 'loom' not found"),
        ("boxblur=abc", "abc"),
        ("hflip;vflip", "2 open inputs (hflip, vflip) and 2 open outputs (hflip, vflip)"),
        ("testsrc", "no open input and 1 open output (testsrc)"),
        ("nullsink", "1 open input (nullsink) and no open output"),
        ("overlay", "2 open inputs (overlay, overlay)"),
        ("volume=2", "volume is an audio filter"),
        ("hflip,", "No such filter: ''"),
        ("[in", "Mismatched '['"),
        ("sendcmd=c='0 drawbox t 1',drawbox", "sendcmd controls other filters"),
        ("hflip,reverse", "reverse holds all frames"),
        ("scale=161:120", "frames of 161×120"),
        ("crop=8:8", "frames of 8×8"),
        ("movie=/nowhere/logo.png[l];[in][l]overlay", "/nowhere/logo.png"),
        ("nullsink;testsrc", "without end"),
        ("setpts=PTS-STARTPTS", "change the times of frames"),
        ("setpts=PTS*1e9", "change the times of frames"),
        ("trim=end_frame=2", "ended the stream"),
        ("drawtext=text=a:fontcolor=nocolour", "nocolour"),
    ]

    @Test(arguments: refused)
    func anUnusableChainIsRejectedWithReasonAndRemedy(chain: String, words: String) {
        let failure = #expect(throws: CodecFailure.self) {
            try VideoFilter.validate(chain, width: 320, height: 240, frameRate: .thirty)
        }
        #expect(failure?.reason.contains(words) == true, "\(failure?.reason ?? "")")
        #expect(failure?.reason.hasPrefix("the filters") == true || failure?.reason.contains("filter") == true)
        #expect(failure?.reason.contains("\n") == false)
        #expect(failure?.remedy.isEmpty == false)
    }

    @Test(arguments: ["", "hqdn3d", "fps=5", "select=0", "split[a][b];[a]nullsink;[b]null"])
    func aUsableChainIsAccepted(chain: String) throws {
        try VideoFilter.validate(chain, width: 320, height: 240, frameRate: .thirty)
    }

    @Test func aFilterThatFailsWhileRunningIsReported() throws {
        let folder = try TemporaryFolder()
        try folder.write("Yard", to: "text")
        let filter = try VideoFilter(
            "drawtext=textfile=\(folder.file("text")):reload=1", width: 320, height: 240, frameRate: .thirty)
        let pool = VideoFramePool(width: 320, height: 240)
        for index in 0..<3 { #expect(try filter.apply(makeFrame(index, from: pool), at: time(index)).count == 1) }
        #expect(unlink(folder.file("text")) == 0)
        let failure = #expect(throws: CodecFailure.self) { try filter.apply(makeFrame(3, from: pool), at: time(3)) }
        #expect(failure?.reason.contains(folder.file("text")) == true, "\(failure?.reason ?? "")")
        #expect(failure?.remedy.isEmpty == false)
    }

    @Test func aFrameOfAnotherSizeIsRejected() throws {
        let filter = try VideoFilter("null", width: 320, height: 240, frameRate: .thirty)
        let other = VideoFramePool(width: 640, height: 480)
        let failure = #expect(throws: CodecFailure.self) { try filter.apply(makeFrame(0, from: other), at: time(0)) }
        #expect(failure?.reason == "a frame of 640×480 was sent to filters for 320×240")
    }

    @Test func filtersThatChangeTheSizeWhileRunningFail() throws {
        let filter = try VideoFilter(
            "scale=w=320+2*floor(n/3):h=240:eval=frame", width: 320, height: 240, frameRate: .thirty)
        let pool = VideoFramePool(width: 320, height: 240)
        let failure = #expect(throws: CodecFailure.self) {
            for index in 0..<10 { _ = try filter.apply(makeFrame(index, from: pool), at: time(index)) }
        }
        #expect(failure?.reason == "the filters changed the frame size from 320×240 to 322×240")
    }
}
