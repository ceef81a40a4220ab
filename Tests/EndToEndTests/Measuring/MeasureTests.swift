import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What `apus measure` finds out about streams that are as they should be.
    @Suite(.serialized, .alone)
    struct Measuring {
        @Test func theTestCardIsMeasuredFromItsCapture() async throws {
            try await overBothTransports(of: "testcard") { server, transport in
                let (outcome, answer) = try await Measure.report(
                    server.url(), ["--frames", "90", "--transport", transport])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let report = try #require(answer)
                #expect(report.frames.received >= 90)
                #expect(report.frames.decoded == report.frames.received)
                #expect(report.frames.broken == 0 && report.packets.lost == 0)
                #expect(report.clocks.relation == "same machine")
                #expect(report.captureTimes.unknown == 0 && report.captureTimes.disbelievedSEI.isEmpty)
                // Keyframes have SEI, and it agrees with the sender reports to the millisecond.
                #expect(report.captureTimes.sei == report.frames.keys && report.captureTimes.sei > 0)
                let disagreement = try #require(report.captureTimes.seiAfterSenderReports)
                #expect(disagreement.p50.magnitude < 1 && disagreement.max.magnitude < 1)
                let (arrival, decoded) = (report.latency.captureToArrival, report.latency.captureToDecoded)
                #expect(arrival?.count == report.frames.received && decoded?.count == report.frames.received)
                // A busy machine is slow, but nothing is decoded before it is captured.
                #expect(arrival.map { $0.p50 > 0 && $0.p50 < 1_000 } == true)
                #expect((decoded?.p50 ?? 0) > (arrival?.p50 ?? .infinity))
                #expect(report.soundOffset != nil)
                let order = ["connected", "playAnswered", "firstPacket", "firstDecodable", "firstDecoded"]
                let instants = order.compactMap { report.start[$0] }
                #expect(instants.count == order.count && instants[0] <= instants[1])
                #expect(instants[2] <= instants[3] && instants[3] <= instants[4])
            }
        }

        @Test func whereEachPictureHasATimestampEachRowHasItsNumber() async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: { cam: { source: testcard, timestamps: all } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(try await server.isServing())
                let (outcome, answer) = try await Measure.report(
                    server.url(),
                    ["--frames", "60", "--csv", folder.file("frames.csv"), "--fail-if", "encoded.max<0ms"])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let report = try #require(answer)
                #expect(report.captureTimes.sei == report.frames.received)
            }
            let rows = String(decoding: folder.bytes("frames.csv"), as: UTF8.self).split(separator: "\n").dropFirst()
            let numbers = rows.compactMap { Int($0.split(separator: ",", omittingEmptySubsequences: false)[1]) }
            #expect(numbers.count == rows.count)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        }

        /// What is estimated of a clock that is our own: reports never come before they are sent, so the truth, zero, is not
        /// below the estimate.
        @Test func clocksAreEstimatedWhereOneAsksForIt() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let (outcome, answer) = try await Measure.report(
                    server.url(), ["--seconds", "3", "--clocks", "estimate"])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let clocks = try #require(answer).clocks
                #expect(clocks.relation == "estimated")
                let (offset, error) = (try #require(clocks.offset), try #require(clocks.error))
                #expect(offset - error <= 0.01)
                #expect(offset + error > -1_000)
            }
        }

        @Test func framesAndPlotAreWrittenIntoFiles() async throws {
            let folder = try TemporaryFolder()
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let outcome = try await Measure.run(
                    server.url(),
                    ["--frames", "30", "--csv", folder.file("frames.csv"), "--plot", folder.file("latency.svg")])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                #expect(outcome.text.contains("capture → decoded"))
                // Nobody watches it work: no progress among what it says.
                #expect(outcome.errors.isEmpty)
            }
            let rows = String(decoding: folder.bytes("frames.csv"), as: UTF8.self).split(separator: "\n")
            #expect(rows.count >= 31)
            #expect(rows.first?.hasPrefix("index,frame_number,rtp_timestamp,captured_ns,") == true)
            #expect(String(decoding: folder.bytes("latency.svg"), as: UTF8.self).hasSuffix("</svg>\n"))
        }

        @Test func aThresholdDecidesTheExitStatus() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let arguments = ["--frames", "15", "--fail-if", "frames<15", "--fail-if", "p50<0ms"]
                #expect(try await Measure.run(server.url(), arguments).status == 0)
                let failed = try await Measure.run(server.url(), arguments + ["--fail-if", "p50>0ms"])
                #expect(failed.status == 2)
                #expect(failed.errors.contains("p50>0ms: the value is "))
                // The report is told all the same.
                #expect(failed.text.contains("capture → decoded"))
            }
        }

        @Test func aStreamThatEndsEarlyIsReportedAndFails() async throws {
            let server = try StampedReplay.server(try await StampedReplay.film()) { _ in }
            defer { server.stop() }
            let outcome = try await Measure.run(server.url, ["--seconds", "30", "--transport", "tcp"])
            #expect(outcome.status == 1)
            #expect(outcome.text.contains("ended early"), "\(outcome.diagnostics)")
            #expect(outcome.text.contains("capture → decoded"))
        }

        @Test func aFilmWithReorderedPicturesIsDecoded() async throws {
            try await overBothTransports(of: Clip.bFrames.path()) { server, transport in
                let (outcome, answer) = try await Measure.report(
                    server.url(), ["--frames", "60", "--transport", transport])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let report = try #require(answer)
                // Those that wait for a later one may be on their way at the end.
                #expect(report.frames.decoded >= report.frames.received - 8)
            }
        }
    }
}

extension EndToEnd {
    /// Another server, in Debian's own Python.
    @Suite(.serialized, .alone)
    struct MeasuringGStreamer {
        private static let python = "/usr/bin/python3"
        private static let script = """
            import sys, gi
            gi.require_version("Gst", "1.0"); gi.require_version("GstRtspServer", "1.0")
            from gi.repository import GLib, Gst, GstRtspServer
            if len(sys.argv) < 2: sys.exit(0)
            Gst.init(None)
            server = GstRtspServer.RTSPServer(); server.set_service(sys.argv[1]); server.set_address("127.0.0.1")
            factory = GstRtspServer.RTSPMediaFactory(); factory.set_shared(True)
            factory.set_launch("( videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1 "
                "! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! rtph264pay name=pay0 pt=96 )")
            server.get_mount_points().add_factory("/cam", factory)
            server.attach(None); print("listening", flush=True); GLib.MainLoop().run()
            """

        private static func isInstalled() async -> Bool {
            // Without Python, or without its bindings, there is nothing to measure.
            (try? await Command.run([python, "-c", script]))?.status == 0
        }

        @Test(arguments: ["udp", "tcp"])
        func itsCaptureTimesComeFromSenderReports(over transport: String) async throws {
            guard await Self.isInstalled() else { return }
            let port = try LoopbackSocket.freePort()
            let server = try Command([Self.python, "-c", Self.script, "\(port)"])
            #expect(await eventually(within: 20) { server.outputByteCount > 0 })
            let (outcome, answer) = try await Measure.report(
                "rtsp://127.0.0.1:\(port)/cam", ["--seconds", "6", "--transport", transport])
            server.signal(SIGKILL)
            _ = await server.finish(within: 5)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            let report = try #require(answer)
            #expect(report.frames.received >= 90 && report.frames.decoded > 0)
            #expect(report.captureTimes.sei == 0)
            #expect(report.captureTimes.senderReports > 0)
        }
    }
}
