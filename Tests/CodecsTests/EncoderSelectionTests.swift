import Media
import TestSupport
import Testing

@testable import Codecs

/// Collects the reports of replaced encoders.
private final class Reports {
    private(set) var all: [EncoderReport] = []
    func note(_ report: EncoderReport) { all.append(report) }
}

/// libx264 under the name of another encoder, which then fails as hardware does: with an error, or by returning nothing.
private final class FailingEncoder: FrameEncoder {
    enum Failure {
        case error
        case silence
    }

    let model: EncoderModel
    private let real: LibavEncoder
    private let failure: Failure
    private var remaining: Int

    init(
        _ model: EncoderModel, _ settings: VideoEncoderSettings, after count: Int, _ failure: Failure
    ) throws(CodecFailure) {
        self.model = model
        self.failure = failure
        remaining = count
        real = try LibavEncoder(tested: EncoderModel(name: "libx264", inputs: [.i420]), settings)
    }

    var parameterSets: H264.ParameterSets { real.parameterSets }

    func encode(_ frame: VideoFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        remaining -= 1
        if remaining >= 0 { return try real.encode(frame, index: index, forcingIDR: forcingIDR) }
        if failure == .silence { return [] }
        throw CodecFailure(reason: "the device has gone")
    }

    func finish() throws(CodecFailure) -> [EncodedFrame] { try real.finish() }
    func changeBitrate(_ settings: VideoEncoderSettings) { real.changeBitrate(settings) }
}

@Suite struct EncoderSelectionTests {
    /// The encoders that this machine lacks, tested for the first time and again.
    private static let missing = EncoderTestResult.all().filter { !$0.works }.map(\.encoder)

    @Test func everyEncoderIsTestedAndFailuresHaveReasons() throws {
        let results = EncoderTestResult.all()
        #expect(
            results.map(\.encoder)
                == ["h264_nvenc", "h264_qsv", "h264_vaapi", "h264_v4l2m2m", "libx264", "libopenh264"])
        #expect(results.first { $0.encoder == "libx264" }?.works == true)
        for result in results {
            #expect(result.failure?.reason.isEmpty != true)
            #expect(result.failure?.remedy.isEmpty != true)
        }
    }

    @Test(arguments: EncoderSelectionTests.missing)
    func aMissingEncoderIsReplacedByTheNextOneThatWorksWithOneReport(name: String) throws {
        var settings = VideoEncoderSettings()
        settings.encoder = name
        let reports = Reports()
        let encoder = try VideoEncoder(settings, report: reports.note)
        let working = EncoderTestResult.all().first(where: \.works)
        let first = try #require(working)
        #expect(encoder.name == first.encoder)
        let report = try #require(reports.all.first)
        #expect(reports.all.count == 1)
        #expect(report.occasion == .fallback)
        #expect(report.encoder == encoder.name)
        #expect(report.rejected.first?.encoder == name)
        #expect(report.sentence.contains(name) && !report.sentence.contains("\n"))
    }

    /// The best of three: the cost of the selection without disturbance by other processes.
    @Test(.timed, arguments: EncoderSelectionTests.missing)
    func aMissingEncoderIsReplacedWithin50Milliseconds(name: String) throws {
        var settings = VideoEncoderSettings()
        settings.encoder = name
        let durations = try (0..<3).map { _ in
            try ContinuousClock().measure { _ = try VideoEncoder(settings) }
        }
        let shortest = try #require(durations.min())
        #expect(shortest < .milliseconds(50))
    }

    @Test(arguments: ["nonsense", "libmp3lame"])
    func anUnknownEncoderNameIsSkipped(name: String) throws {
        var settings = smallSettings()
        settings.encoder = name
        let reports = Reports()
        #expect(try VideoEncoder(settings, report: reports.note).encode(0..<2).count == 2)
        #expect(reports.all.map(\.occasion) == [.fallback])
    }

    @Test func aNamedEncoderThatWorksIsUsedWithoutAReport() throws {
        var settings = smallSettings()
        settings.encoder = "libx264"
        let reports = Reports()
        #expect(try VideoEncoder(settings, report: reports.note).name == "libx264")
        #expect(reports.all.isEmpty)
    }

    @Test func theReasonIsTheLibrarysFirstErrorMessage() throws {
        let nvenc = EncoderTestResult.all().first { $0.encoder == "h264_nvenc" }
        guard let failure = nvenc?.failure else { return }
        #expect(failure.reason.contains("libcuda") || failure.reason.contains("nvenc"), "\(failure.reason)")
    }

    @Test func ifNoEncoderWorksAllReasonsAreReported() {
        let failure = #expect(throws: CodecFailure.self) {
            try VideoEncoder(smallSettings(), report: { _ in }) { (model, _) throws(CodecFailure) in
                throw CodecFailure(reason: "no \(model.name) today", remedy: "wait")
            }
        }
        for model in EncoderModel.automatic { #expect(failure?.reason.contains("no \(model.name) today") == true) }
    }

    @Test(arguments: [EncoderModel.Input.i420, .nv12])
    func framesAreConvertedToTheEncodersInputFormat(input: EncoderModel.Input) throws {
        let settings = smallSettings()
        let encoder = try VideoEncoder(settings, report: { _ in }) { (_, settings) throws(CodecFailure) in
            try LibavEncoder(tested: EncoderModel(name: "libx264", inputs: [input]), settings)
        }
        let units = try encoder.encode(0..<3)
        let scaler = Scaler(width: settings.width, height: settings.height)
        let decoder = try VideoDecoder()
        let decoded = try units.flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.count == 3)
        let seen = try scaler.scale(decoded[0])
        let drawn = try makeFrame(0, from: VideoFramePool(width: settings.width, height: settings.height))
        for (x, y) in [(10, 10), (100, 50), (300, 200)] {
            #expect(abs(Int(seen.luma[x, y]) - Int(drawn.luma[x, y])) < 24)
            #expect(abs(Int(seen.cb[x / 2, y / 2]) - 128) < 8 && abs(Int(seen.cr[x / 2, y / 2]) - 128) < 8)
        }
    }

    @Test(arguments: [("h264_vaapi", "vaapi"), ("h264_qsv", "qsv")])
    func surfacesOfAMissingDeviceFailWithARemedy(name: String, device: String) throws {
        guard Self.missing.contains(name) else { return }
        let model = try #require(EncoderModel.automatic.first { $0.name == name })
        let failure = #expect(throws: CodecFailure.self) { try LibavEncoder(tested: model, smallSettings()) }
        #expect(failure?.reason.contains(device) == true)
        #expect(failure?.remedy.isEmpty == false)
    }
}

@Suite struct EncoderFailureTests {
    /// An encoder called h264_nvenc that fails after `count` frames, and the next encoders of `auto`.
    private func failing(
        after count: Int, _ failure: FailingEncoder.Failure, _ settings: VideoEncoderSettings = smallSettings(),
        _ report: @escaping (EncoderReport) -> Void
    ) throws -> VideoEncoder {
        try VideoEncoder(settings, report: report) { (model, settings) throws(CodecFailure) in
            guard model.name == "h264_nvenc" else { return try LibavEncoder(tested: model, settings) }
            return try FailingEncoder(model, settings, after: count, failure)
        }
    }

    @Test func anEncoderThatFailsMidStreamIsReplacedAndAnIDRPictureFollows() throws {
        let reports = Reports()
        let encoder = try failing(after: 10, .error, smallSettings(), reports.note)
        #expect(encoder.name == "h264_nvenc")
        let units = try encoder.encode(0..<30)
        #expect(encoder.name == "libx264")
        #expect(units.map(\.presentationTime) == (0..<30).map(time), "no frame is lost")
        #expect(keyframeNumbers(units) == [0, 10])
        #expect(types(of: units[10]).contains(7) && types(of: units[10]).contains(8))
        #expect(reports.all.map(\.occasion) == [.failure])
        let failed = EncoderTestResult(encoder: "h264_nvenc", failure: CodecFailure(reason: "the device has gone"))
        #expect(reports.all.first?.rejected.first == failed)
        let decoder = try VideoDecoder()
        #expect(try (units.flatMap { try decoder.decode($0) } + decoder.finish()).count == 30)
    }

    @Test func anEncoderThatStopsReturningFramesHasFailed() throws {
        let reports = Reports()
        let encoder = try failing(after: 10, .silence, smallSettings(), reports.note)
        let units = try encoder.encode(0..<60)
        #expect(encoder.name == "libx264")
        #expect(reports.all.map(\.occasion) == [.failure])
        let points = keyframeNumbers(units)
        #expect(points.count == 2 && points[1] <= 10 + 16, "\(points)")
        #expect(units.last?.presentationTime == time(59))
    }

    @Test func aFailedEncoderIsNotTriedAgainWhenSettingsChange() throws {
        let reports = Reports()
        let encoder = try failing(after: 5, .error, smallSettings(), reports.note)
        _ = try encoder.encode(0..<10)
        var settings = encoder.settings
        (settings.width, settings.height) = (160, 120)
        try encoder.change(to: settings)
        #expect(encoder.name == "libx264")
        #expect(try encoder.encode(10..<20).count == 10)
        #expect(reports.all.count == 1)
    }

    @Test func withoutFallbackTheFailureIsThrown() throws {
        var settings = smallSettings()
        (settings.encoder, settings.encoderFallback) = ("h264_nvenc", false)
        let encoder = try failing(after: 3, .error, settings) { _ in }
        let failure = #expect(throws: CodecFailure.self) { try encoder.encode(0..<5) }
        #expect(failure?.reason == "h264_nvenc failed while it ran: the device has gone")
        #expect(failure?.remedy.isEmpty == false)
    }
}
