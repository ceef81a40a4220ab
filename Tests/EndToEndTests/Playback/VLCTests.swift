import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// VLC as shipped by Debian and Ubuntu, which has no live555 and opens rtsp:// by its SAT>IP module.
    @Suite(.serialized, .exclusive, .enabled(if: VLC.isInstalled, "needs VLC"))
    struct StockVLC {
        /// `script/soak vlc` does this for ten minutes.
        @Test func theTestCardPlaysWithoutALostFrameOrAWarning() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let vlc = try VLC(playing: server.url())
                try await expectSmoothPlayback(of: vlc, forSeconds: 10)
                #expect(try await vlc.quit().status == 0)
                #expect(
                    await eventually(within: 2) { server.log.contains("the client sent TEARDOWN") },
                    "\(server.log.suffix(2_000))")
            }
        }

        @Test func aFileWithBFramesPlays() async throws {
            try await withServer(Clip.bFrames.path()) { server in
                #expect(try await server.isServing())
                let vlc = try VLC(playing: server.url())
                try await expectSmoothPlayback(of: vlc, forSeconds: 6, atPicturesPerSecond: 25)
                #expect(try await vlc.quit().status == 0)
            }
        }

        /// VLC's media sockets are IPv4 only, even if its requests use IPv6.
        @Test(.enabled(if: geteuid() == 0, "needs root, for a hosts file of its own"))
        func ifLocalhostIsIPv6MediaGoesToItsIPv4Address() async throws {
            let folder = try TemporaryFolder()
            try folder.write("::1 localhost\n127.0.0.1 localhost\n", to: "hosts")
            let ownHosts = ["unshare", "--mount", "sh", "-c", "mount --bind \"$0\" /etc/hosts && exec \"$@\""]
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let vlc = try VLC(playing: server.url(host: "localhost"), prefix: ownHosts + [folder.file("hosts")])
                try await expectSmoothPlayback(of: vlc, forSeconds: 3)
                #expect(await server.logs("[::1]:"), "\(server.log.suffix(2_000))")
                #expect(try await vlc.quit().status == 0)
            }
        }

        /// VLC reports nothing, so only an operator can move it to another rendition. It shows the other size in the same session.
        @Test func itShowsTheRenditionThatAnOperatorChooses() async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                network: { moveAllClients: true }
                users: { ann: { password: sesamesesame, read: ['*'], control: ['*'], status: true } }
                paths:
                  cam: { source: testcard, rate: renditions, video: { width: 640, height: 360 } }
                  cam/small: { source: 'stream:cam', video: { width: 320, height: 180, bitrate: 300000 } }

                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                let vlc = try VLC(playing: server.url(host: "ann:sesamesesame@127.0.0.1"))
                try #require(try await vlc.statistics(within: 20) { $0.displayedFrames >= 30 } != nil)
                for (path, size) in [("/cam/small", "320x180"), ("/cam", "640x360")] {
                    let lines = vlc.log.count
                    try await chooseRendition(path, on: server)
                    let isShown = await eventually(within: 15) {
                        vlc.log.dropFirst(lines).contains { $0.contains("vout") && $0.contains(size) }
                    }
                    #expect(isShown, "\(path): \(vlc.log.suffix(30))")
                    let interval = try await vlc.interval(ofFrames: 90, within: 10)
                    #expect(interval.map { $0.duration < .seconds(5) } == true, "\(path): \(vlc.log.suffix(30))")
                }
                #expect(try await vlc.quit().status == 0)
                #expect(await server.logs("the client sent TEARDOWN"))
                #expect(server.log.components(separatedBy: "the client sent TEARDOWN").count == 2)
            }
        }

        private func chooseRendition(_ path: String, on server: ServerProcess) async throws {
            let viewers = "http://127.0.0.1:\(server.httpPort)/api/v1/viewers"
            let curl = ["curl", "--silent", "--show-error", "--fail", "--digest", "--user", "ann:sesamesesame"]
            let list = try await Command.run(curl + [viewers], within: 10).text
            let id = try #require(list.firstMatch(of: /"id":"(v\d+)"/)?.1, "\(list)")
            let body = ["--header", "Content-Type: application/json", "--data", #"{"rendition":"\#(path)"}"#]
            let outcome = try await Command.run(
                curl + ["--request", "PATCH"] + body + ["\(viewers)/\(id)"], within: 10)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
        }

        /// Expects frames at their rate, with audio. After the first second no frame is lost or late, and the log has no line
        /// about missing packets, clock jumps or broken frames.
        ///
        /// If the machine stalled, as many frames may be late as it would have shown meanwhile.
        private func expectSmoothPlayback(
            of vlc: VLC, forSeconds seconds: Int, atPicturesPerSecond rate: Int = 30,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            HostStall.watch()
            let settled = try await vlc.statistics(within: 10) { $0.displayedFrames >= rate }
            try #require(settled != nil, "\(vlc.log.suffix(30))", sourceLocation: sourceLocation)
            var last = try await vlc.interval(ofFrames: seconds * rate, within: Double(seconds) + 4)
            for _ in 1...2 where last?.isBroken ?? false {
                last = try await vlc.interval(ofFrames: seconds * rate, within: Double(seconds) + 4)
            }
            let interval = try #require(last, "\(vlc.log.suffix(30))", sourceLocation: sourceLocation)
            let (before, after) = (interval.before, interval.after)
            #expect(interval.duration >= .seconds(seconds - 2), sourceLocation: sourceLocation)
            #expect(after.decodedFrames >= after.displayedFrames, sourceLocation: sourceLocation)
            #expect(after.discontinuities == 0, sourceLocation: sourceLocation)
            // A sanitizer makes frames late.
            guard Sanitizer.current == nil else { return }
            let hostStall = interval.hostStall / .seconds(1)
            let (lateFrames, lateAudioBuffers) = (hostStall * Double(rate), hostStall * Self.soundsPerSecond)
            let lostFrames = Double(after.lostFrames - before.lostFrames)
            #expect(lostFrames <= lateFrames.rounded(.up), sourceLocation: sourceLocation)
            let lostAudioBuffers = Double(after.lostAudioBuffers - before.lostAudioBuffers)
            #expect(lostAudioBuffers <= lateAudioBuffers.rounded(.up), sourceLocation: sourceLocation)
            let playedAudioBuffers = Double(after.playedAudioBuffers - before.playedAudioBuffers)
            #expect(playedAudioBuffers + lateAudioBuffers >= Double(seconds) * 40, sourceLocation: sourceLocation)
            let complaints = interval.lines.filter { line in
                Self.complaints.contains { line.contains($0) }
                    && !(hostStall > 0 && Self.latenesses.contains { line.contains($0) })
            }
            #expect(complaints.isEmpty, "\(complaints.prefix(5))", sourceLocation: sourceLocation)
        }

        /// The number of AAC access units per second at 48 kHz.
        private static let soundsPerSecond = 48_000.0 / 1_024

        /// Messages about late frames, which VLC also counts as lost.
        private static let latenesses = ["picture is too late to be displayed", "buffer too late"]

        private static let complaints = [
            "too late", "too early", "pts_delay increased", "Timestamp conversion failed",
            "ES_OUT_", "PCR", "discontinu", "Gap in seq_nr", "out of order", "duplicate packet", "uffering", "dropping",
            "timed out", "flushing", "up-sampling", "down-sampling", "resampling", "error", "lost",
        ]
    }
}
