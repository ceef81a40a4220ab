import Media
import RTP
import Reactor
import TestSupport
import Testing
import Wire

extension EndToEnd {
    /// The capture time accompanies the frames and disturbs no client.
    @Suite(.serialized, .exclusive)
    struct Timestamps {
        /// Serves the test card as `/cam`; viewers begin with a live frame because the timestamps of a fast start are not capture
        /// times.
        private func withTestCard(
            _ options: String, _ body: (ServerProcess) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            let file = folder.file("apus.yml")
            let yaml = "paths: { cam: { source: testcard, join: keyframe, \(options) } }\n"
            try yaml.write(toFile: file, atomically: true, encoding: .utf8)
            try await withServer("--config", file) { server in
                #expect(try await server.isServing())
                try await body(server)
            }
        }

        @Test func everyClientPlaysFramesAndPacketsWithTimestampsWithoutAWarning() async throws {
            try await withTestCard("timestamps: all, absoluteCaptureTime: true") { server in
                try await concurrently(Client.allCases.filter(\.isInstalled)) { client in
                    async let udp: Void = playsWithoutAWarning(client, server, over: "udp")
                    async let tcp: Void = playsWithoutAWarning(client, server, over: "tcp")
                    _ = try await (udp, tcp)
                }
            }
        }

        private func playsWithoutAWarning(
            _ client: Client, _ server: ServerProcess, over transport: String
        ) async throws {
            let outcome = try await client.watch(server.url(), over: transport, log: server.log)
            let words = (outcome.errors + outcome.text).lowercased()
            for word in [" sei", "user data", "unregistered", "nal unit", "extension"] {
                #expect(!words.contains(word), "\(client): \(outcome.diagnostics)")
            }
        }

        @Test func ffmpegCopiesTimestampsIntoAnMP4() async throws {
            let folder = try TemporaryFolder()
            let recording = folder.file("card.mp4")
            try await withTestCard("timestamps: all") { server in
                let copy = try await Command.run(
                    Client.ffmpeg(server.url(), over: "tcp") + ["-map", "0:v", "-c", "copy", "-t", "3", recording],
                    within: 30)
                #expect(copy.status == 0 && copy.errors.isEmpty, "\(copy.diagnostics)")
            }
            let stream = try await Command.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-i", recording, "-c", "copy"]
                    + ["-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"], within: 20)
            let timestamps = AnnexB.units(of: stream.output).compactMap { CaptureTimestamp(parsing: $0) }
            #expect(timestamps.count > 60)
            #expect(
                zip(timestamps, timestamps.dropFirst()).allSatisfy {
                    $0.frameNumber < $1.frameNumber && $0.monotonic < $1.monotonic
                })
        }

        @Test func theFirstSenderReportAgreesWithTheFirstFramesCaptureTime() async throws {
            try await withTestCard("timestamps: keyframes") { server in
                let socket = try RTSPSocket(port: server.port)
                #expect(try socket.play(server.url()).answer.status == 200)
                let (report, timestamp, stamped) = try firstFrame(from: socket)
                let ticks = Int64(Int32(bitPattern: stamped &- report.rtpTimestamp))
                let told = report.ntpTime.unixNanoseconds + ClockRate.video.nanoseconds(inTicks: ticks)
                // Client and server share the host and therefore the wall clock.
                let now = ClockReading.now()
                let captured = now.unixNanoseconds - (now.monotonic - timestamp.monotonic)
                #expect(abs(told - captured) < 1_000_000, "\(told - captured) ns")
                #expect(abs(timestamp.wallClock.unixNanoseconds - told) < 12_000)
                #expect(now.monotonic - timestamp.monotonic < 5_000_000_000)
                let (begins, ends) = try #require(spans(of: timestamp))
                #expect(begins <= ends && ends < 5_000_000)
            }
        }

        private func spans(of timestamp: CaptureTimestamp) -> (UInt32, UInt32)? {
            guard let begins = timestamp.encodingBegins, let ends = timestamp.encodingEnds else { return nil }
            return (begins, ends)
        }

        /// Returns the first sender report of the video track and the first frame's capture timestamp with its RTP timestamp.
        private func firstFrame(
            from socket: RTSPSocket
        ) throws -> (report: SenderReport, timestamp: CaptureTimestamp, rtpTimestamp: UInt32) {
            var report: SenderReport?
            while let frame = socket.frame(within: 5) {
                if frame.channel == 1, report == nil {
                    let compound = try Compound(parsing: frame.bytes.rawSpan)
                    if case .senderReport(let first) = compound.packets.first { report = first }
                }
                guard frame.channel == 0, let (header, payload) = Header.parse(frame.bytes.rawSpan) else { continue }
                let data = H264Peek.userData(in: frame.bytes.rawSpan.extracting(payload))
                let timestamp = data.lazy.compactMap { CaptureTimestamp($0) }.first
                // The first packet contains it, and the report precedes the packet.
                return (try #require(report), try #require(timestamp), header.timestamp)
            }
            throw RTSPSocket.Failure.noAnswer("PLAY")
        }
    }
}
