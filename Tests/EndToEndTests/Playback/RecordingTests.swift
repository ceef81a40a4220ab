import TestSupport
import Testing

extension EndToEnd {
    /// Tests recordings by ffmpeg without transcoding.
    @Suite(.serialized, .exclusive)
    struct Recordings {
        /// Presentation time and flags of each video packet.
        private typealias Packets = [(seconds: Double, isKey: Bool)]

        private func record(_ url: String, over transport: String) async throws -> Packets {
            let folder = try TemporaryFolder()
            let recording = folder.file("recording.mkv")
            let copy = try await Command.run(
                Client.ffmpeg(url, over: transport) + ["-map", "0", "-c", "copy", "-t", "3", recording], within: 40)
            #expect(copy.status == 0, "\(copy.diagnostics)")
            let packets = try await Command.run(
                ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time,flags"]
                    + ["-of", "csv=p=0", recording], within: 20)
            return packets.text.split(separator: "\n").compactMap { line in
                let fields = line.split(separator: ",")
                guard fields.count >= 2, let seconds = Double(fields[0]) else { return nil }
                return (seconds, fields[1].hasPrefix("K"))
            }
        }

        /// Returns the shortest interval between two frames, in milliseconds.
        private func shortestStep(_ packets: Packets) -> Double {
            zip(packets, packets.dropFirst()).map { ($1.seconds - $0.seconds) * 1_000 }.min() ?? 0
        }

        @Test(arguments: ["tcp", "udp"])
        func aRecordingThatJoinsAtAKeyframeHasNoCompressedTimestamps(over transport: String) async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                // The fast start would compress the history that exists by now.
                try await Task.sleep(for: .seconds(1.2))
                async let recording = record(server.url() + "?join=keyframe", over: transport)
                async let fast = record(server.url() + "?join=fast", over: transport)
                let (packets, fastPackets) = try await (recording, fast)
                #expect(packets.count > 30)
                #expect(packets.first?.isKey == true)
                // 33 ms at 30 frames/s, in a file with a resolution of 1 ms; a late machine may omit frames.
                #expect(shortestStep(packets) > 30, "\(packets.prefix(60))")
                #expect(shortestStep(fastPackets) < 20, "without the parameter the fast start is active")
            }
        }
    }
}
