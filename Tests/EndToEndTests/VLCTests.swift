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
                #expect(try await server.isOnAir())
                let vlc = try VLC(playing: server.url())
                try await expectPeace(of: vlc, forSeconds: 10)
                #expect(try await vlc.quit().status == 0)
                #expect(
                    await eventually(within: 2) { server.log.contains("tore it down") }, "\(server.log.suffix(2_000))")
            }
        }

        @Test func aFilmWithBFramesPlays() async throws {
            try await withServer(Clip.bFrames.path()) { server in
                #expect(try await server.isOnAir())
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
                #expect(try await server.isOnAir())
                let vlc = try VLC(playing: server.url(host: "localhost"), prefix: ownHosts + [folder.file("hosts")])
                try await expectPeace(of: vlc, forSeconds: 3)
                #expect(await server.logs("[::1]:"), "\(server.log.suffix(2_000))")
                #expect(try await vlc.quit().status == 0)
            }
        }

        /// Pictures come at their rate, with sound. Once a second of them has been shown, nothing is lost, and the log
        /// has none of the lines that tell of packets, clocks or pictures gone wrong.
        ///
        /// Only pictures that were shown too late may be so in two stretches of three: other programs on the machine may hold VLC
        /// up, too. A stream that is late is late in each.
        private func expectPeace(
            of vlc: VLC, forSeconds seconds: Int, atPicturesPerSecond rate: Int = 30,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let settled = try await vlc.statistics(within: 10 * Sanitizer.patience) { $0.displayedPictures >= rate }
            var before = try #require(settled, "\(vlc.log.suffix(30))", sourceLocation: sourceLocation)
            for _ in 1...3 {
                let (start, lineCount) = (ContinuousClock.now, vlc.log.count)
                let last = try await vlc.statistics(within: (Double(seconds) + 2) * Sanitizer.patience) {
                    $0.displayedPictures >= before.displayedPictures + seconds * rate
                }
                let after = try #require(last, "\(vlc.log.suffix(30))", sourceLocation: sourceLocation)
                // Its statistics are a second old at most.
                #expect(ContinuousClock.now - start >= .seconds(seconds - 2), sourceLocation: sourceLocation)
                #expect(after.decodedPictures >= after.displayedPictures, sourceLocation: sourceLocation)
                #expect(after.discontinuities == 0, sourceLocation: sourceLocation)
                // A sanitizer makes pictures late.
                guard Sanitizer.current == nil else { return }
                #expect(after.lostSounds == before.lostSounds, sourceLocation: sourceLocation)
                #expect(after.playedSounds - before.playedSounds >= seconds * 40, sourceLocation: sourceLocation)
                let complaints = vlc.log.dropFirst(lineCount).filter { line in
                    Self.complaints.contains { line.contains($0) }
                }
                let others = complaints.filter { !$0.contains("picture is too late to be displayed") }
                #expect(others.isEmpty, "\(others.prefix(5))", sourceLocation: sourceLocation)
                if complaints.isEmpty, after.lostPictures == before.lostPictures { return }
                before = after
            }
            Issue.record("pictures were late in each of three stretches", sourceLocation: sourceLocation)
        }

        private static let complaints = [
            "too late", "too early", "pts_delay increased", "Timestamp conversion failed",
            "ES_OUT_", "PCR", "discontinu", "Gap in seq_nr", "out of order", "duplicate packet", "uffering", "dropping",
            "timed out", "flushing", "up-sampling", "down-sampling", "resampling", "error", "lost",
        ]
    }
}
