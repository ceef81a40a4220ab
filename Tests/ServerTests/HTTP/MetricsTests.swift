import Streams
import TestSupport
import Testing

@testable import Server

/// Metrics in the text format of Prometheus.
struct MetricsTests {
    @Test func aFamilyHasHelpTypeAndSamples() {
        var text = MetricsText()
        text.family("a_total", .counter, "Things \\ with\na line") {
            $0.add(["path": "/c\"a\\m\n"], 3)
            $0.add(["path": "/b"], 0.25)
        }
        text.family("b", .gauge, "Nothing") { _ in }
        text.family("c_seconds", .histogram, "Times") {
            $0.add(["path": "/"], bounds: [0.001, 1], counts: [2, 0, 5], sum: 7.5)
        }
        text.family("d", .gauge, "Without labels") { $0.add(1e300) }
        #expect(
            text.text == #"""
                # HELP a_total Things \\ with\na line
                # TYPE a_total counter
                a_total{path="/c\"a\\m\n"} 3
                a_total{path="/b"} 0.25
                # HELP c_seconds Times
                # TYPE c_seconds histogram
                c_seconds_bucket{path="/",le="0.001"} 2
                c_seconds_bucket{path="/",le="1"} 2
                c_seconds_bucket{path="/",le="+Inf"} 7
                c_seconds_sum{path="/"} 7.5
                c_seconds_count{path="/"} 7
                # HELP d Without labels
                # TYPE d gauge
                d 1e+300

                """#)
    }

    @Test func theMetricsOfAServerFollowTheRulesOfPrometheus() async throws {
        let server = try APIServer("")
        let stream = try #require(server.assembly.state.withLock { $0.paths["cam"]?.stream })
        #expect(await eventually(within: 20) { stream.latencyTrace.counts[.packaging] != nil })
        let viewer = try TCPViewer(of: "cam", server.assembly)
        // Frames of the fast start are not traced, because they are sent late on purpose.
        #expect(
            await eventually(within: 20) {
                viewer.watch(frames: 1).frames == 1 && stream.latencyTrace.counts[.whole] != nil
            })
        let browser = try server.connect()
        browser.send("GET /cam/index.mp4?duration=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(await eventually(within: 20) { stream.viewerCounts.counts.left.count == 1 })
        let response = try #require(try server.connect().ask("GET /metrics"))
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        let samples = try MetricsRules.samples(of: response.text)
        #expect(samples["apus_viewers{path=\"/cam\",transport=\"TCP\"}"] == 1)
        #expect(samples["apus_viewers_joined_total{path=\"/cam\",transport=\"TCP\"}"] == 1)
        #expect(samples["apus_viewers_joined_total{path=\"/cam\",transport=\"MP4\"}"] == 1)
        #expect(samples["apus_viewers_left_total{path=\"/cam\",transport=\"MP4\",reason=\"left\"}"] == 1)
        #expect(samples["apus_source_state{path=\"/cam\",state=\"running\"}"] == 1)
        #expect(samples["apus_stream_frames_total{path=\"/cam\"}", default: 0] >= 3)
        #expect(samples["apus_stage_duration_seconds_count{path=\"/cam\",stage=\"whole\"}", default: 0] >= 1)
        #expect(samples["process_resident_memory_bytes", default: 0] > 1_000_000)
        #expect(!response.text.contains("127.0.0.1"), "no address of a viewer")
    }

    @Test func thePathsOfViewersThatAnEncoderFollowsAreMeasured() async throws {
        let server = try APIServer(
            "", paths: "door: { source: testcard, rate: follow, video: { width: 160, height: 120, frameRate: 15 } }")
        let viewer = try TCPViewer(of: "door", server.assembly)
        #expect(await eventually(within: 20) { viewer.watch(frames: 1).frames == 1 })
        var samples: [String: Double] = [:]
        func value(_ name: String) -> Double? { samples["apus_\(name){path=\"/door\"}"] }
        #expect(
            await eventually(within: 20) {
                let response = try? server.connect().ask("GET /metrics")
                samples = response.flatMap { try? MetricsRules.samples(of: $0.text) } ?? [:]
                return value("viewers_capacity_bytes_per_second") != nil
            })
        #expect(try #require(value("viewers_capacity_bytes_per_second")) > 0)
        #expect(try #require(value("stream_requested_bytes_per_second")) > 0)
        #expect(value("viewers_moved") == 0)
        #expect(samples["apus_viewers_capacity_bytes_per_second{path=\"/cam\"}"] == nil)
    }

    @Test func theStatusNeedsItsRight() throws {
        let server = try APIServer()
        #expect(try server.ask("GET /metrics", as: nil).status == 401)
        #expect(try server.ask("GET /metrics", as: "bob:garden garden").status == 401)
        #expect(try server.ask("GET /metrics").status == 200)
    }

    @Test func countsFallBetweenTheirBounds() {
        var counts = DurationCounts()
        for bound in DurationCounts.bounds { counts.record(nanoseconds: Int64(bound * 1_000_000)) }
        counts.record(nanoseconds: -1)
        counts.record(nanoseconds: 6_000_000_000)
        #expect(counts.counts == [2] + Array(repeating: 1, count: DurationCounts.bounds.count))
        #expect(counts.count == UInt64(DurationCounts.bounds.count) + 2)
        #expect(counts.sumNanoseconds == Int64(DurationCounts.bounds.reduce(0, +) * 1_000_000) + 6_000_000_000)
    }
}

/// The rules that `promtool check metrics` checks, and some of the format that it presupposes.
private enum MetricsRules {
    struct Violation: Error {
        let line: String
        let rule: String
    }

    /// The samples by name and labels.
    static func samples(of text: String) throws -> [String: Double] {
        var samples: [String: Double] = [:]
        var (family, kind, names) = ("", "", Set<String>())
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            func check(_ holds: Bool, _ rule: String) throws {
                if !holds { throw Violation(line: String(line), rule: rule) }
            }
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP ") {
                family = String(words[2])
                try check(words.count > 3 && names.insert(family).inserted, "a family has one help text")
                continue
            }
            if line.hasPrefix("# TYPE ") {
                kind = String(words[3])
                try check(words[2] == family, "the type follows the help text")
                try check((kind == "counter") == family.hasSuffix("_total"), "counters end with _total")
                continue
            }
            let match = try #require(
                line.wholeMatch(of: /([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\.)*"(?:,[a-z]+="(?:[^"\\\n]|\\.)*")*\})? (\S+)/),
                "\(line)")
            let name = String(match.1)
            let suffixes = kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            try check(suffixes.contains { family + $0 == name }, "a sample belongs to the family before it")
            let value = try #require(Double(match.3), "\(line)")
            let key = name + (match.2.map(String.init) ?? "")
            try check(samples.updateValue(value, forKey: key) == nil, "no sample twice")
            for unit in ["milliseconds", "kilobytes", "bits"] { try check(!name.contains(unit), "base units") }
        }
        try checkHistograms(samples)
        return samples
    }

    private static func checkHistograms(_ samples: [String: Double]) throws {
        for (key, count) in samples where key.contains("_count{") {
            let infinite = key.replacing("_count{", with: "_bucket{").replacing("}", with: ",le=\"+Inf\"}")
            #expect(samples[infinite] == count, "\(key)")
        }
    }
}
