import Media
import Streams
import Testing

@testable import Server

/// Paths that have a video track of another path's publishers.
struct TrackConfigurationTests {
    private func problems(_ yaml: String) -> [String] {
        do {
            _ = try Configuration(yaml: yaml, file: "apus.yml")
            return []
        } catch {
            return error.problems.map { "\($0.option): \($0.message)" }
        }
    }

    @Test(arguments: [("track:yard/1", 1), ("track:/yard/2", 2), ("track:yard/255", 255)] as [(String, UInt8)])
    func aPathMayBeATrackOfAPublishedPath(source: String, number: UInt8) throws {
        let configuration = try Configuration(
            yaml: "paths: { yard: { source: publish }, yard/sub: { source: '\(source)' } }", file: "apus.yml")
        let path = try #require(configuration.paths["yard/sub"])
        #expect(path.source == .track(of: "yard", TrackNumber(number)))
        #expect(path.source.text == "track:yard/\(number)")
        #expect(SourceSpecification(path.source.text) == path.source)
        #expect(path.source.parent == "yard")
        #expect(configuration.servedPathsParentsFirst.map(\.key) == ["yard", "yard/sub"])
    }

    @Test func aTrackMayBelongToAPathThatPublishersCreate() {
        #expect(
            problems("paths: { 'live/*': { source: publish }, low: { source: 'track:live/garden/1' } }").isEmpty)
    }

    private static let form = "write track:PATH/NUMBER with a number from 1 to 255, such as track:yard/1"

    @Test(arguments: [
        ("track:yard", form), ("track:yard/0", form), ("track:yard/256", form), ("track:yard/two", form),
        ("track:", form), ("track:/1", form), ("track:yrad/1", "there is no path `yrad`; did you mean `yard`?"),
        ("track:cam/1", "`cam` has the source testcard, and only a path with the source publish has tracks"),
        ("track:sub/1", "`sub` has the source track:sub/1, and only a path with the source publish has tracks"),
    ])
    func invalidTracksAreRefused(source: String, reason: String) {
        let problems = problems("paths: { yard: { source: publish }, cam: {}, sub: { source: '\(source)' } }")
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("paths.sub.source: ") == true, "\(problems)")
        #expect(problems.first?.contains(reason) == true, "\(problems)")
    }

    @Test func aTrackHasOnePath() {
        let paths = "yard: { source: publish }, a: { source: 'track:yard/1' }, b: { source: 'track:yard/1' }"
        #expect(
            problems("paths: { \(paths) }")
                == ["paths.b.source: `a` is track 1 of `yard` already; choose another number"])
    }

    /// What applies to a published path applies to its tracks.
    @Test(arguments: [
        ("onDemand: true", "a publisher decides when it sends"),
        ("publish: { override: never }", "has no effect: the source is track:yard/1, not publish"),
        ("effects: { mirror: true }", "a published stream is not decoded"),
        ("camera: { format: MJPG }", "not a camera"),
    ])
    func optionsWithoutAnEffectAreRefused(option: String, reason: String) {
        let problems = problems(
            "paths: { yard: { source: publish }, sub: { source: 'track:yard/1', \(option) } }")
        #expect(problems.first?.contains(reason) == true, "\(problems)")
    }

    @Test func tracksAreRenditionsWithTheRateThatTheyComeWith() throws {
        let configuration = try Configuration(
            yaml: "paths: { yard: { source: publish, rate: renditions }, sub: { source: 'track:yard/1' } }",
            file: "apus.yml")
        let streams = ["yard", "sub"].map { Streams.Stream(path: "/\($0)", epoch: .now()) }
        let renditions = try #require(
            Renditions(of: "yard", in: configuration) { name in streams.first { $0.path == "/\(name)" } })
        // Without a publisher there is one rendition.
        #expect(renditions.ladder(of: streams[0]).streams.count == 1)
        #expect(
            problems("paths: { yard: { source: publish, rate: renditions } }").first?.contains("track:yard/NUMBER")
                == true)
    }
}
