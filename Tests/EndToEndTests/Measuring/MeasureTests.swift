import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests `apus measure` with correct streams.
    @Suite(.serialized, .exclusive)
    struct Measuring {
        @Test func theTestCardIsMeasuredFromCapture() async throws {
            try await overBothTransports(of: "testcard") { server, transport in
                let (outcome, answer) = try await Measure.report(
                    server.url(), ["--frames", "90", "--transport", transport])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let report = try #require(answer)
                #expect(report.frames.received >= 90)
                #expect(report.frames.decoded == report.frames.received)
                #expect(report.frames.broken == 0 && report.packets.lost == 0)
                #expect(report.packets.repair == (transport == "udp" ? "requested" : "none"))
                #expect(report.clocks.relation == "same machine")
                #expect(report.captureTimes.unknown == 0 && report.captureTimes.disbelievedSEI.isEmpty)
                // Keyframes have SEI, which agrees with the sender reports to the millisecond.
                #expect(report.captureTimes.sei == report.frames.keys && report.captureTimes.sei > 0)
                let disagreement = try #require(report.captureTimes.seiAfterSenderReports)
                #expect(disagreement.p50.magnitude < 1 && disagreement.max.magnitude < 1)
                let (arrival, decoded) = (report.latency.captureToArrival, report.latency.captureToDecoded)
                #expect(arrival?.count == report.frames.received && decoded?.count == report.frames.received)
                // A busy machine is slow, but no frame is decoded before its capture.
                #expect(arrival.map { $0.p50 > 0 && $0.p50 < 1_000 } == true)
                #expect((decoded?.p50 ?? 0) > (arrival?.p50 ?? .infinity))
                #expect(report.soundOffset != nil)
                let order = ["connected", "playAnswered", "firstPacket", "firstDecodable", "firstDecoded"]
                let instants = order.compactMap { report.start[$0] }
                #expect(instants.count == order.count && instants[0] <= instants[1])
                #expect(instants[2] <= instants[3] && instants[3] <= instants[4])
            }
        }

        @Test func withATimestampPerFrameEachRowHasItsFrameNumber() async throws {
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

        @Test func repairIsSwitchedOffOnRequest() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let (outcome, answer) = try await Measure.report(server.url(), ["--frames", "15", "--no-repair"])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let packets = try #require(answer).packets
                #expect(packets.repair == "off" && packets.repaired == 0)
                #expect(packets.lostBeforeRepair == packets.lost)
            }
        }

        /// Estimates a clock with a true offset of zero. Sender reports never arrive before they are sent, so that the estimate is
        /// not above zero.
        @Test func clocksAreEstimatedOnRequest() async throws {
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

        @Test func framesAndPlotAreWrittenToFiles() async throws {
            let folder = try TemporaryFolder()
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let outcome = try await Measure.run(
                    server.url(),
                    ["--frames", "30", "--csv", folder.file("frames.csv"), "--plot", folder.file("latency.svg")])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                #expect(outcome.text.contains("capture → decoded"))
                // Standard error is no terminal, so that no progress is shown.
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
                // The report is printed nevertheless.
                #expect(failed.text.contains("capture → decoded"))
            }
        }

        @Test func aStreamThatEndsEarlyIsReportedAndFails() async throws {
            let server = try TimestampedReplay.server(try await TimestampedReplay.clip()) { _ in }
            defer { server.stop() }
            let outcome = try await Measure.run(server.url, ["--seconds", "30", "--transport", "tcp"])
            #expect(outcome.status == 1)
            #expect(outcome.text.contains("ended early"), "\(outcome.diagnostics)")
            #expect(outcome.text.contains("capture → decoded"))
        }

        @Test func aFileWithReorderedFramesIsDecoded() async throws {
            try await overBothTransports(of: Clip.bFrames.path()) { server, transport in
                let (outcome, answer) = try await Measure.report(
                    server.url(), ["--frames", "60", "--transport", transport])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                let report = try #require(answer)
                // Frames that need a later frame may still be undecoded at the end.
                #expect(report.frames.decoded >= report.frames.received - 8)
            }
        }
    }
}

extension EndToEnd {
    /// Measures another server: GStreamer's, from Debian's Python bindings.
    @Suite(.serialized, .exclusive)
    struct MeasuringGStreamer {
        private static let python = "/usr/bin/python3"
        private static let script = """
            import sys, gi
            gi.require_version("Gst", "1.0"); gi.require_version("GstRtspServer", "1.0")
            from gi.repository import GLib, Gst, GstRtspServer
            Gst.init(None)
            server = GstRtspServer.RTSPServer(); server.set_service(sys.argv[1]); server.set_address("127.0.0.1")
            factory = GstRtspServer.RTSPMediaFactory(); factory.set_shared(True)
            factory.set_launch("( videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1 "
                "! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! rtph264pay name=pay0 pt=96 )")
            server.get_mount_points().add_factory("/cam", factory)
            server.attach(None); print("listening", flush=True); GLib.MainLoop().run()
            """

        @Test(arguments: ["udp", "tcp"])
        func itsCaptureTimesComeFromSenderReports(over transport: String) async throws {
            let port = try LoopbackSocket.freePort()
            // A registry of its own: the user's may lack plugins whose scan has crashed or was interrupted.
            let folder = try TemporaryFolder()
            let server = try Command(
                [
                    "env", "GST_REGISTRY=\(folder.file("registry.bin"))", "GST_DEBUG=2", Self.python, "-c", Self.script,
                    "\(port)",
                ])
            #expect(await eventually(within: 60) { server.outputByteCount > 0 })
            let (outcome, answer) = try await Measure.report(
                "rtsp://127.0.0.1:\(port)/cam", ["--seconds", "6", "--transport", transport])
            server.signal(SIGKILL)
            let serving = await server.finish(within: 5)
            #expect(outcome.status == 0, "\(outcome.diagnostics) \(serving.diagnostics)")
            let report = try #require(answer)
            #expect(report.frames.received >= 90 && report.frames.decoded > 0)
            #expect(report.captureTimes.sei == 0)
            #expect(report.captureTimes.senderReports > 0)
        }
    }
}
