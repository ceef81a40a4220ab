import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// VLC as Debian and Ubuntu ship it has no live555, and opens rtsp:// through its SAT>IP module.
    @Suite(.serialized, .alone, .enabled(if: VLC.isInstalled, "needs VLC"))
    struct StockVLC {
        /// For ten minutes: `script/soak vlc`.
        @Test func theTestCardPlaysWithoutALostPictureOrAComplaint() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let vlc = try VLC(playing: server.url())
                try await expectPeace(of: vlc, forSeconds: 10)
                #expect(try await vlc.quit().status == 0)
                #expect(
                    await eventually(within: 2) { server.log.contains("the client sent TEARDOWN") },
                    "\(server.log.suffix(2_000))")
            }
        }

        @Test func aFilmWithBFramesPlays() async throws {
            try await withServer(Clip.bFrames.path()) { server in
                #expect(try await server.isServing())
                let vlc = try VLC(playing: server.url())
                try await expectPeace(of: vlc, forSeconds: 6, atPicturesPerSecond: 25)
                #expect(try await vlc.quit().status == 0)
            }
        }

        /// VLC's media sockets are IPv4 only, whatever way its requests take.
        @Test(.enabled(if: geteuid() == 0, "needs root, for a hosts file of its own"))
        func whereLocalhostIsIPv6MediaGoToItsIPv4Address() async throws {
            let folder = try TemporaryFolder()
            try folder.write("::1 localhost\n127.0.0.1 localhost\n", to: "hosts")
            let ownHosts = ["unshare", "--mount", "sh", "-c", "mount --bind \"$0\" /etc/hosts && exec \"$@\""]
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let vlc = try VLC(playing: server.url(host: "localhost"), prefix: ownHosts + [folder.file("hosts")])
                try await expectPeace(of: vlc, forSeconds: 3)
                #expect(await server.logs("[::1]:"), "\(server.log.suffix(2_000))")
                #expect(try await vlc.quit().status == 0)
            }
        }

        /// Pictures come at their rate, with sound. Once a second of them has been shown, nothing is lost or late, and the log
        /// has none of the lines that tell of packets, clocks or pictures gone wrong.
        ///
        /// Where the machine stood still, as much may be late as would have been shown meanwhile.
        private func expectPeace(
            of vlc: VLC, forSeconds seconds: Int, atPicturesPerSecond rate: Int = 30,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            Standstill.watch()
            let settled = try await vlc.statistics(within: 10) { $0.displayedPictures >= rate }
            try #require(settled != nil, "\(vlc.log.suffix(30))", sourceLocation: sourceLocation)
            var last = try await vlc.stretch(ofPictures: seconds * rate, within: Double(seconds) + 4)
            for _ in 1...2 where last?.isBroken ?? false {
                last = try await vlc.stretch(ofPictures: seconds * rate, within: Double(seconds) + 4)
            }
            let stretch = try #require(last, "\(vlc.log.suffix(30))", sourceLocation: sourceLocation)
            let (before, after) = (stretch.before, stretch.after)
            #expect(stretch.duration >= .seconds(seconds - 2), sourceLocation: sourceLocation)
            #expect(after.decodedPictures >= after.displayedPictures, sourceLocation: sourceLocation)
            #expect(after.discontinuities == 0, sourceLocation: sourceLocation)
            // A sanitizer makes pictures late.
            guard Sanitizer.current == nil else { return }
            let standstill = stretch.standstill / .seconds(1)
            let (latePictures, lateSounds) = (standstill * Double(rate), standstill * Self.soundsPerSecond)
            let lostPictures = Double(after.lostPictures - before.lostPictures)
            #expect(lostPictures <= latePictures.rounded(.up), sourceLocation: sourceLocation)
            let lostSounds = Double(after.lostSounds - before.lostSounds)
            #expect(lostSounds <= lateSounds.rounded(.up), sourceLocation: sourceLocation)
            let playedSounds = Double(after.playedSounds - before.playedSounds)
            #expect(playedSounds + lateSounds >= Double(seconds) * 40, sourceLocation: sourceLocation)
            let complaints = stretch.lines.filter { line in
                Self.complaints.contains { line.contains($0) }
                    && !(standstill > 0 && Self.latenesses.contains { line.contains($0) })
            }
            #expect(complaints.isEmpty, "\(complaints.prefix(5))", sourceLocation: sourceLocation)
        }

        /// Access units of AAC at 48 kHz.
        private static let soundsPerSecond = 48_000.0 / 1_024

        /// Of what is counted as lost, too.
        private static let latenesses = ["picture is too late to be displayed", "buffer too late"]

        private static let complaints = [
            "too late", "too early", "pts_delay increased", "Timestamp conversion failed",
            "ES_OUT_", "PCR", "discontinu", "Gap in seq_nr", "out of order", "duplicate packet", "uffering", "dropping",
            "timed out", "flushing", "up-sampling", "down-sampling", "resampling", "error", "lost",
        ]
    }
}
