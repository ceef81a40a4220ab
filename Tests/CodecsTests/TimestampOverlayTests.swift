import Codecs
import Media
import Testing

/// A detailed frame with an overlay in its lower left corner, and the output of filters for it.
private struct Shown {
    static let overlay = TimestampOverlay(unixNanoseconds: 1_795_273_445_123_400_000, frameNumber: 98_765)
    let frame: VideoFrame

    init(_ width: Int, _ height: Int) throws {
        frame = try makeFrame(3, from: VideoFramePool(width: width, height: height))
        Self.overlay.draw(in: .bottomLeft, of: frame)
    }

    /// The overlays found after a libavfilter chain.
    func overlays(after filters: String) throws -> [TimestampOverlay] {
        let filter = try VideoFilter(filters, width: frame.width, height: frame.height, frameRate: .thirty)
        return try filter.apply(frame, at: time(0)).flatMap { LumaFrame($0.frame).timestampOverlays.map(\.code) }
    }
}

private let sizes = [
    (320, 180), (320, 240), (352, 288), (480, 270), (640, 360), (640, 480), (854, 480), (1024, 576), (1280, 720),
    (1920, 1080), (180, 320), (720, 1280),
]

@Suite struct BlockCodeDrawingTests {
    @Test(arguments: sizes, TimestampOverlay.Corner.allCases)
    func anOverlayIsReadFromEveryCorner(size: (Int, Int), corner: TimestampOverlay.Corner) throws {
        let frame = try makeFrame(1, from: VideoFramePool(width: size.0, height: size.1))
        Shown.overlay.draw(in: corner, of: frame)
        #expect(LumaFrame(frame).timestampOverlays.map(\.code) == [Shown.overlay])
    }

    @Test(arguments: sizes, ["bilinear", "bicubic"])
    func anOverlayIsReadFromAScaledFrame(size: (Int, Int), method: String) throws {
        let shown = try Shown(size.0, size.1)
        for percent in [50, 55, 61, 67, 75, 83, 91, 100, 110, 125, 133, 150, 171, 200] {
            let scale = "scale=trunc(iw*\(percent)/200)*2:trunc(ih*\(percent)/200)*2:flags=\(method)"
            #expect(try shown.overlays(after: scale) == [Shown.overlay], "\(percent) %")
        }
    }

    @Test(arguments: sizes)
    func anOverlayIsReadFromAFrameInsideALargerOne(size: (Int, Int)) throws {
        let shown = try Shown(size.0, size.1)
        for colour in ["black", "white", "gray"] {
            let filters = "scale=trunc(iw*0.36)*2:trunc(ih*0.41)*2,pad=iw+222:ih+134:97:51:\(colour)"
            #expect(try shown.overlays(after: filters) == [Shown.overlay], "\(colour)")
        }
    }

    @Test(arguments: [
        "val*0.3+20", "val*0.3+160", "clip(val*1.6-60\\,0\\,255)", "255*pow(val/255\\,2)", "255*sqrt(val/255)",
    ])
    func brightnessAndContrastDoNotMatter(levels: String) throws {
        for size in [(320, 180), (1280, 720)] {
            let shown = try Shown(size.0, size.1)
            for scale in ["", ",scale=trunc(iw/3)*2:trunc(ih/3)*2"] {
                #expect(try shown.overlays(after: "lutyuv=y=\(levels)\(scale)") == [Shown.overlay], "\(size) \(scale)")
            }
        }
    }

    @Test func anOverlayIsReadFromASlightlyRotatedFrame() throws {
        let shown = try Shown(1280, 720)
        for degrees in [-3, -1, 2, 4] {
            let filters = "pad=1500:1000:100:140:gray,rotate=\(degrees)*PI/180"
            #expect(try shown.overlays(after: filters) == [Shown.overlay], "\(degrees)")
        }
    }

    @Test func framesThatAreTooSmallStayUnchanged() throws {
        let pool = VideoFramePool(width: 160, height: 90)
        let frame = try makeFrame(1, from: pool)
        Shown.overlay.draw(in: .topLeft, of: frame)
        #expect(frame.isLike(try makeFrame(1, from: VideoFramePool(width: 160, height: 90))))
    }

    @Test func chromaIsGreyInsideTheOverlayAndUnchangedOutside() throws {
        let frame = try VideoFrame(width: 320, height: 180)
        frame.cb.fill(x: 0..<160, y: 0..<90, with: 77)
        Shown.overlay.draw(in: .bottomLeft, of: frame)
        #expect(frame.cb[0, 89] == 128)
        #expect(frame.cb[104, 75] == 128)
        #expect(frame.cb[105, 75] == 77)
        #expect(frame.cb[0, 74] == 77)
    }

    @Test func sharedFramesAreCopiedBeforeDrawing() throws {
        let pool = VideoFramePool(width: 64, height: 64)
        let own = try pool.take()
        #expect(try own.writable(pool) === own)
        let held = try own.shared(pool)
        let copy = try own.writable(pool)
        #expect(copy !== own)
        #expect(copy.isLike(own))
        _ = held
    }
}
