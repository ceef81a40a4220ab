import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests the synchronisation of video and audio.
    @Suite(.serialized, .exclusive)
    struct Synchrony {
        @Test func flashAndBeepAreSimultaneousOverBothTransports() async throws {
            let folder = try TemporaryFolder()
            try await overBothTransports(of: "testcard") { server, transport in
                try await record(server.url(), over: transport, into: folder.file("\(transport).mkv"))
            }
            for transport in ["udp", "tcp"] { try await expectSynchrony(of: folder.file("\(transport).mkv")) }
        }

        /// ffmpeg publishes the test card, with seven units of AAC in a packet, which it sends with the last one.
        @Test func publishedFlashAndBeepAreSimultaneous() async throws {
            let folder = try TemporaryFolder()
            let original = folder.file("original.mkv")
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                try await record(server.url(), over: "tcp", into: original, seconds: 20)
            }
            try folder.write(
                "access: { loopback: publish }\npaths: { tcp: { source: publish }, udp: { source: publish } }\n",
                to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                try await concurrently(["tcp", "udp"]) { transport in
                    let publisher = try Command(
                        ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", original, "-c", "copy"]
                            + ["-rtsp_transport", transport, "-f", "rtsp", server.url(transport)], in: "/")
                    defer { publisher.signal(SIGKILL) }
                    #expect(try await server.isServing(transport))
                    // Before and after ffmpeg's reports are believed.
                    let file = folder.file("\(transport).mkv")
                    try await record(server.url(transport), over: "tcp", into: file, seconds: 15)
                }
            }
            for transport in ["tcp", "udp"] { try await expectSynchrony(of: folder.file("\(transport).mkv")) }
        }

        private func record(
            _ url: String, over transport: String, into file: String, seconds: Int = 8
        ) async throws {
            let outcome = try await Command.run(
                Client.ffmpeg(url, over: transport) + ["-c", "copy", "-t", "\(seconds)", file], within: 45)
            #expect(outcome.status == 0, "\(transport): \(outcome.diagnostics)")
        }

        private func expectSynchrony(of recording: String) async throws {
            let flashes = try await flashes(in: recording)
            let beeps = try await beeps(in: recording)
            // The first second is a fast start; its timestamps are not capture times.
            let late = flashes.filter { $0 > 1 }
            #expect(late.count >= 4, "\(recording): \(flashes)")
            for flash in late.dropLast() {
                let nearest = try #require(beeps.min { abs($0 - flash) < abs($1 - flash) })
                #expect(abs(nearest - flash) <= 0.020, "\(recording): flash at \(flash), beep at \(nearest)")
            }
        }

        /// Returns when the white square in the upper right corner of a 1280×720 test card appears; omits flashes whose first
        /// frame a busy machine has dropped.
        private func flashes(in recording: String) async throws -> [Double] {
            let outcome = try await Command.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-i", recording, "-vf"]
                    + ["crop=200:200:1000:80,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-"]
                    + ["-f", "null", "-"], within: 60)
            var isBright = false
            var isLate = false
            var time = 0.0
            var begins: [Double] = []
            for line in outcome.text.split(separator: "\n") {
                if let value = line.split(separator: "pts_time:").dropFirst().first.flatMap({ Double($0) }) {
                    isLate = value - time > 0.05
                    time = value
                } else if let level = line.split(separator: "YAVG=").last.flatMap({ Double($0) }) {
                    if level > 128 && !isBright && !isLate { begins.append(time) }
                    isBright = level > 128
                }
            }
            return begins
        }

        /// Returns when silence ends.
        private func beeps(in recording: String) async throws -> [Double] {
            let outcome = try await Command.run(
                ["ffmpeg", "-nostdin", "-v", "info", "-i", recording, "-map", "0:a"]
                    + ["-af", "silencedetect=noise=-30dB:d=0.3", "-f", "null", "-"], within: 60)
            return outcome.errors.split(separator: "silence_end: ").dropFirst().compactMap {
                $0.split(separator: " ").first.flatMap { Double($0) }
            }
        }
    }
}
