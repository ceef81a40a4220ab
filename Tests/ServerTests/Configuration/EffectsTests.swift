import Codecs
import Media
import TestSupport
import Testing

@testable import Server

/// A frame with a different value at every position, as far as bytes allow.
private func drawnPicture(width: Int = 320, height: Int = 240, seed: UInt64 = 1) throws -> VideoFrame {
    let frame = try VideoFrame(width: width, height: height)
    var random = SplitMix64(seed: seed)
    for plane in [frame.luma, frame.cb, frame.cr] {
        for y in 0..<plane.height { for x in 0..<plane.width { plane[x, y] = .random(in: 20...230, using: &random) } }
    }
    return frame
}

/// A grey frame.
private func greyPicture(width: Int = 640, height: Int = 360) throws -> VideoFrame {
    let frame = try VideoFrame(width: width, height: height)
    for plane in [frame.luma, frame.cb, frame.cr] { plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128) }
    return frame
}

extension VideoFrame {
    fileprivate var samples: [UInt8] {
        [luma, cb, cr].flatMap { plane in
            (0..<plane.height).flatMap {
                UnsafeMutableBufferPointer(start: plane.base + $0 * plane.stride, count: plane.width)
            }
        }
    }

    /// Whether all samples are equal. (A comparison in `#expect` would print a hundred thousand samples.)
    fileprivate func isLike(_ other: VideoFrame) -> Bool { samples == other.samples }

    /// The positions at which its luma differs from that of another frame of the same size.
    fileprivate func differences(from other: VideoFrame) -> [(x: Int, y: Int)] {
        (0..<height).flatMap { y in
            (0..<width).compactMap { x in luma[x, y] == other.luma[x, y] ? nil : (x, y) }
        }
    }
}

/// The output of `chain` for a frame.
private func apply(_ chain: String, to frame: VideoFrame) throws -> VideoFrame {
    let filter = try VideoFilter(chain, width: frame.width, height: frame.height, frameRate: .thirty)
    return try #require(try filter.apply(frame, at: MediaTime(ticks: 90_000, rate: .video)).first).frame
}

extension Configuration.Effects {
    fileprivate init(_ change: (inout Self) throws -> Void) rethrows {
        self.init()
        try change(&self)
    }

    fileprivate func apply(to frame: VideoFrame, title: String = "") throws -> VideoFrame {
        try ServerTests.apply(chain(title: title, size: (frame.width, frame.height)), to: frame)
    }
}

/// Effects on real frames.
struct EffectsTests {
    @Test func withoutEffectsThereIsNoChain() {
        #expect(Configuration.Effects().chain(title: "Yard", size: (1280, 720)).isEmpty)
        #expect(Configuration.Effects { $0.filters = "  " }.chain(title: "", size: (1280, 720)).isEmpty)
    }

    @Test func effectsAreAppliedInTheOrderOfTheReference() throws {
        let effects = Configuration.Effects {
            $0.privacyMasks = [MaskRectangle(["0", "0", "16", "16"])].compactMap(\.self)
            ($0.rotate, $0.mirror, $0.blur, $0.filters, $0.overlay) = (.quarter, true, 5, "hqdn3d", .both)
        }
        let chain = effects.chain(title: "Yard", size: (1280, 720))
        let places = ["drawbox", "transpose", "hflip", "boxblur", "hqdn3d", "localtime", "Yard"].compactMap {
            chain.firstRange(of: $0)?.lowerBound
        }
        #expect(places.count == 7)
        #expect(places == places.sorted())
    }

    @Test(arguments: [
        "color=c=white:s=16x16[logo];[in][logo]overlay=64:0", "color=c=white:s=16x16[logo];[in][logo]overlay=64:0[out]",
        "split[a][b];[a]nullsink;color=c=white:s=16x16[logo];[b][logo]overlay=64:0",
        "[in]drawbox=64:0:16:16:white:fill[out]",
        "drawbox=64:0:16:16:white:fill",
    ])
    func branchesAreConnectedToTheOtherEffects(filters: String) throws {
        let grey = try greyPicture()
        let effects = try Configuration.Effects {
            $0.privacyMasks = [try #require(MaskRectangle(["0", "0", "32", "32"]))]
            ($0.filters, $0.overlay, $0.overlayCorner) = (filters, .title, .bottomRight)
        }
        let made = try effects.apply(to: grey, title: "Yard")
        #expect(made.luma[8, 8] == 16)
        #expect(made.luma[72, 8] == 235)
        #expect(made.luma[72, 40] == 128)
        #expect(made.differences(from: grey).contains { $0.x > 320 && $0.y > 320 })
    }

    // MARK: - Masks

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aMaskBlackensItsRectangleAndNothingElse(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (x, y) = (Int.random(in: 0..<320, using: &random), Int.random(in: 0..<240, using: &random))
        let (width, height) = (Int.random(in: 1...320 - x, using: &random), Int.random(in: 1...240 - y, using: &random))
        let mask = try #require(MaskRectangle(["\(x)", "\(y)", "\(width)", "\(height)"]))
        let drawn = try drawnPicture()
        let made = try Configuration.Effects { $0.privacyMasks = [mask] }.apply(to: drawn)
        // Outward to even positions.
        let (columns, rows) = (x & ~1..<(x + width + 1) & ~1, y & ~1..<(y + height + 1) & ~1)
        for place in columns { for line in rows { drawn.luma[place, line] = 16 } }
        for plane in [drawn.cb, drawn.cr] {
            plane.fill(
                x: columns.lowerBound / 2..<columns.upperBound / 2, y: rows.lowerBound / 2..<rows.upperBound / 2,
                with: 128)
        }
        #expect(made.isLike(drawn))
    }

    @Test func masksInPercentAndPixelsCoverTheSamePart() throws {
        let drawn = try drawnPicture(width: 640, height: 360)
        let inPercent = Configuration.Effects {
            $0.privacyMasks = [MaskRectangle(["25%", "50%", "12.5%", "50%"])].compactMap(\.self)
        }
        let inPixels = Configuration.Effects {
            $0.privacyMasks = [MaskRectangle(["320", "360", "160", "360"])].compactMap(\.self)
        }
        let made = try apply(inPercent.chain(title: "", size: (16, 16)), to: drawn)
        #expect(try apply(inPixels.chain(title: "", size: (1280, 720)), to: drawn).isLike(made))
        let places = made.differences(from: drawn)
        #expect(places.allSatisfy { (160..<240).contains($0.x) && (180..<360).contains($0.y) })
        #expect(places.count == 80 * 180)
    }

    /// Frames that differ only under the mask have the same output.
    @Test(arguments: [
        "", "hflip", "negate", "eq=brightness=1", "tmix=frames=3", "hqdn3d", "scale=160:120", "transpose",
        "split[a][b];[a]nullsink;[b]vflip", "split[a][b];[a]hflip[c];[b][c]hstack", "nullsink;[in]null",
        "nullsink;null", "nullsink;[in]hflip[out]", "[x]nullsink;[in]null", "sendcmd=c='0 drawbox t 1'",
        "sendcmd=c='0 all w 2'", "drawbox=x=0:y=0:w=0:h=0:c=white@0:t=fill", "drawbox=enable=0",
        "delogo=x=10:y=10:w=100:h=100", "null[a];[in][a]overlay",
    ])
    func noFilterRevealsTheMaskedPart(filters: String) throws {
        let effects = try Configuration.Effects {
            $0.privacyMasks = [try #require(MaskRectangle(["10%", "10%", "50%", "50%"]))]
            $0.filters = filters
        }
        let (one, other) = (try drawnPicture(), try drawnPicture())
        other.luma.fill(x: 32..<192, y: 24..<144, with: 200)
        other.cb.fill(x: 16..<96, y: 12..<72, with: 40)
        #expect(!one.isLike(other))
        let chain = effects.chain(title: "", size: (320, 240))
        do throws(CodecFailure) {
            let filters = [
                try VideoFilter(chain, width: 320, height: 240, frameRate: .thirty),
                try VideoFilter(chain, width: 320, height: 240, frameRate: .thirty),
            ]
            for tick in 0..<5 as Range<Int64> {
                let time = MediaTime(ticks: 90_000 + tick * 3_000, rate: .video)
                let made = (try filters[0].apply(one, at: time), try filters[1].apply(other, at: time))
                #expect(made.0.elementsEqual(made.1) { $0.frame.isLike($1.frame) })
            }
        } catch {
            // A refused chain has no output.
            #expect(!error.reason.isEmpty)
        }
    }

    // MARK: - Rotation and blur

    @Test(arguments: Configuration.Effects.Rotation.allCases)
    func rotationMovesEverySampleToItsPosition(_ rotation: Configuration.Effects.Rotation) throws {
        let drawn = try drawnPicture()
        let made = try Configuration.Effects { $0.rotate = rotation }.apply(to: drawn)
        let isUpright = rotation == .none || rotation == .half
        #expect((made.width, made.height) == (isUpright ? (320, 240) : (240, 320)))
        for y in stride(from: 0, to: 240, by: 7) {
            for x in stride(from: 0, to: 320, by: 5) {
                let place =
                    switch rotation {
                    case .none: (x, y)
                    case .quarter: (239 - y, x)
                    case .half: (319 - x, 239 - y)
                    case .threeQuarters: (y, 319 - x)
                    }
                #expect(made.luma[place.0, place.1] == drawn.luma[x, y])
            }
        }
    }

    @Test func mirroringSwapsLeftAndRight() throws {
        let drawn = try drawnPicture()
        let made = try Configuration.Effects { $0.mirror = true }.apply(to: drawn)
        #expect((0..<320).allSatisfy { made.luma[$0, 17] == drawn.luma[319 - $0, 17] })
    }

    @Test func moreBlurMeansLessVariance() throws {
        let drawn = try drawnPicture()
        func variance(_ frame: VideoFrame) -> Double {
            let values = frame.samples.prefix(320 * 240).map(Double.init)
            let mean = values.reduce(0, +) / Double(values.count)
            return values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(values.count)
        }
        let variances = try [0, 1, 5, 20, 100].map { blur in
            blur == 0 ? variance(drawn) : variance(try Configuration.Effects { $0.blur = blur }.apply(to: drawn))
        }
        for (less, more) in zip(variances, variances.dropFirst()) { #expect(more < less) }
        #expect(variances[1] < variances[0] / 4)
    }

    @Test(arguments: [(16, 16), (16, 1000), (8192, 16)])
    func theStrongestBlurWorksAtEverySize(width: Int, height: Int) throws {
        let made = try Configuration.Effects { $0.blur = 100 }.apply(to: drawnPicture(width: width, height: height))
        #expect((made.width, made.height) == (width, height))
    }

    // MARK: - Overlay

    @Test(arguments: TimestampOverlay.Corner.allCases)
    func theClockChangesItsCornerOnly(_ corner: TimestampOverlay.Corner) throws {
        let grey = try greyPicture()
        let made = try Configuration.Effects { ($0.overlay, $0.overlayCorner) = (.clock, corner) }.apply(to: grey)
        let places = made.differences(from: grey)
        #expect(places.count > 500)
        let isLeft = corner == .topLeft || corner == .bottomLeft
        let isTop = corner == .topLeft || corner == .topRight
        #expect(places.allSatisfy { ($0.x < 320) == isLeft && (isTop ? $0.y < 40 : $0.y >= 320) })
    }

    @Test func clockAndTitleAreSideBySide() throws {
        let grey = try greyPicture()
        let clock = Configuration.Effects { ($0.overlay, $0.overlayCorner) = (.clock, .bottomRight) }
        let both = Configuration.Effects { ($0.overlay, $0.overlayCorner) = (.both, .bottomRight) }
        let places = try both.apply(to: grey, title: "Yard").differences(from: clock.apply(to: grey, title: "Yard"))
        #expect(places.count > 100)
        #expect(places.count { $0.x < 320 && $0.y >= 320 } > 100)
    }

    @Test func biggerLettersCoverMorePixels() throws {
        let grey = try greyPicture()
        let areas = try [4, 12, 36].map { size in
            let effects = Configuration.Effects { ($0.overlay, $0.overlaySize) = (.title, size) }
            return try effects.apply(to: grey, title: "Yard").differences(from: grey).count
        }
        #expect(areas[0] * 2 < areas[1] && areas[1] * 2 < areas[2])
    }

    /// drawtext reads the expected text from a file, which needs no escapes.
    @Test(arguments: nastyTitles)
    func aTitleIsDrawnAsWritten(_ title: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(title, to: "title")
        let chain = Configuration.Effects { $0.overlay = .title }.chain(title: title, size: (640, 360))
        let options = chain[..<(try #require(chain.firstRange(of: ":text="))).lowerBound]
        let fromFile = "\(options):textfile=\(folder.file("title"))"
        let grey = try greyPicture()
        let made = try apply(chain, to: grey)
        #expect(try made.isLike(apply(fromFile, to: grey)))
        #expect(!made.isLike(grey))
    }

    @Test func spacesAroundATitleAreRemoved() {
        let effects = Configuration.Effects { $0.overlay = .title }
        #expect(effects.chain(title: "  Yard ", size: (16, 16)) == effects.chain(title: "Yard", size: (16, 16)))
        #expect(effects.chain(title: "  ", size: (16, 16)).isEmpty)
    }
}

/// Titles with all characters that are special for the parsers of chains, options and drawtext, and random titles of them.
private let nastyTitles: [String] = {
    let known = [
        "Yard", "The yard: north", "It's", #"C:\yard"#, "%{localtime}", "%{pts}", "100 %", "a,b", "a;b", "[in]", "a=b",
        #"\"#, #"\\"#, #"\'"#, "''", ":", "%", "%%", "{}", "Hof – Süd", "'\u{301}", #"\\\'%{e\:1+1}[a];,"#, "#", "\"",
    ]
    var random = SplitMix64(seed: 42)
    let letters = Array(#"ab:'\%{}[],;= @"#)
    let mixed = (0..<40).map { _ in
        "x"
            + String(
                (0..<Int.random(in: 1...12, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
            + "x"
    }
    return known + mixed
}()
