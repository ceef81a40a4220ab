import Codecs
import Logging
import Media
import Muxing
import Reactor
import Streams

/// Decides in turns what is published in the place of an absent source. Confined to the thread of its `AbsencePublisher`.
///
/// ```
/// source is there          → silence for audio that it lacks
/// absent, no tracks        → announce some
/// absent, no viewers       → nothing
/// absent, fallback runs    → its frames
/// absent                   → file, or slate
/// ```
final class AbsenceLoop {
    private let stream: Stream
    private let plan: AbsencePlan
    private let doorbell: Doorbell
    private let stop: StopSignal
    private let interruption: Interruption
    private let log: Logger

    private var silence = SilentTracks()
    private var slate: Slate?
    private var nextFrame = MonotonicTime(nanoseconds: 0)
    private var announcementCount: UInt64 = 0
    private var fallback: FallbackReader?
    /// When the fallback last gave a frame; `nil` if it has not in this absence.
    private var lastFallback: MonotonicTime?
    private var hasFileFailed = false
    private var hasFailed = false
    /// The source's tracks that were kept last.
    private var kept: [Track]?
    /// What is shown, for the log.
    private var shown: String?
    /// The messages of this absence, which are not repeated.
    private var logged: Set<String> = []

    /// How long the fallback may pause before something else is shown, in nanoseconds.
    private static let fallbackPatience: Int64 = 1_000_000_000

    init(
        _ stream: Stream, _ plan: AbsencePlan, doorbell: Doorbell, stop: StopSignal, interruption: Interruption,
        log: Logger
    ) {
        (self.stream, self.plan, self.doorbell, self.log) = (stream, plan, doorbell, log)
        (self.stop, self.interruption) = (stop, interruption)
        kept = plan.keptTracks
    }

    /// Publishes what is due.
    ///
    /// - Returns: milliseconds until the next turn. The doorbell may ring earlier. At most 50, so that a stop takes no longer.
    func turn() -> Int32 {
        do throws(CodecFailure) {
            guard let absence = stream.absence() else { return try sourceIsThere() }
            guard let tracks = absence.tracks else {
                if !hasFailed { stream.announceSubstitute(try firstTracks()) }
                return 50
            }
            guard stream.demand.isNeeded else {
                leave()
                return 50
            }
            if !hasFailed { try show(tracks, absence) }
            return fallback == nil ? 50 : 20
        } catch {
            hasFailed = true
            report("the substitute for the absent source cannot be shown: \(error)")
            return 50
        }
    }

    private func sourceIsThere() throws(CodecFailure) -> Int32 {
        leave()
        if shown != nil { log.info("the source is back") }
        (hasFailed, hasFileFailed, shown, logged) = (false, false, nil, [])
        if let tracks = stream.sourceTracks, tracks != kept {
            kept = tracks
            plan.keep?(tracks)
        }
        guard let missing = stream.missingAudio(), stream.demand.isNeeded else { return 50 }
        try publishSilence(of: missing.tracks, until: missing.nanoseconds)
        return 40
    }

    /// Shows nothing any more.
    private func leave() { (slate, fallback, lastFallback) = (nil, nil, nil) }

    /// The tracks before a source has announced any: those of the configuration, of the last run, or of the fallback.
    private func firstTracks() throws(CodecFailure) -> [Track] {
        if plan.tracks.isEmpty, let tracks = kept ?? plan.fallback?()?.announcement?.tracks { return tracks }
        var tracks: [Track] = []
        for track in plan.tracks.isEmpty ? AnnouncedTrack.usual : plan.tracks {
            tracks.append(try track.track(TrackID(tracks.count)))
        }
        return tracks
    }

    private func show(_ tracks: [Track], _ absence: Absence) throws(CodecFailure) {
        if try showFallback(tracks, absence) { return }
        switch plan.display {
        case nil: break
        case .file(let path) where !hasFileFailed: playFile(path, tracks, absence)
        case .lastFrame?, .slate?, .file?: try showSlate(tracks, absence)
        }
    }

    private func publishSilence(of tracks: [Track], until nanoseconds: Int64) throws(CodecFailure) {
        for unit in try silence.units(of: tracks, until: nanoseconds) { stream.publishSubstitute(unit) }
    }

    private func began(showing what: String) {
        guard what != shown else { return }
        shown = what
        log.info("the source is absent; viewers see \(what)")
    }

    /// Logs a message once in an absence.
    private func report(_ message: String) {
        if logged.insert(message).inserted { log.error("\(message)") }
    }
}

// MARK: - Slate

extension AbsenceLoop {
    private func showSlate(_ tracks: [Track], _ absence: Absence) throws(CodecFailure) {
        let now = MonotonicTime.now()
        guard now >= nextFrame || absence.announcementCount != announcementCount else { return }
        nextFrame = now.advanced(byMilliseconds: Int64(1_000 / Slate.frameRate))
        let present: Slate
        if let slate, slate.tracks == tracks {
            present = slate
        } else {
            present = try Slate(tracks, plan.display ?? .slate, lastKeyframe: absence.lastKeyframe)
        }
        let isNew = present !== slate || absence.announcementCount != announcementCount
        (slate, announcementCount) = (present, absence.announcementCount)
        try publishSilence(of: tracks, until: absence.nanoseconds)
        let units = try present.units(
            at: absence.nanoseconds, elapsedSeconds: absence.silence / 1_000_000_000, forcingKeyframe: isNew)
        for unit in units { stream.publishSubstitute(unit) }
        began(showing: plan.display == .lastFrame && absence.lastKeyframe != nil ? "its last frame" : "a slate")
    }
}

// MARK: - Fallback

extension AbsenceLoop {
    /// - Returns: whether the fallback is shown.
    private func showFallback(_ tracks: [Track], _ absence: Absence) throws(CodecFailure) -> Bool {
        guard let reader = fallbackReader() else { return false }
        switch reader.units(for: tracks) {
        case .none: break
        case .incompatible(let others):
            report(
                "the fallback \(reader.stream.path) cannot be shown: it has \(others.summary), and viewers have "
                    + "\(tracks.summary)")
        case .units(let units, let missing):
            if !units.isEmpty {
                (slate, lastFallback) = (nil, .now())
                began(showing: reader.stream.path)
            }
            for unit in units { stream.publishSubstitute(unit) }
            if lastFallback != nil {
                try publishSilence(of: tracks.filter { missing.contains($0.id) }, until: absence.nanoseconds)
            }
        }
        guard let lastFallback else { return false }
        if MonotonicTime.now() - lastFallback < Self.fallbackPatience { return true }
        reader.interrupt()
        self.lastFallback = nil
        return false
    }

    private func fallbackReader() -> FallbackReader? {
        guard let stream = plan.fallback?() else {
            fallback = nil
            return nil
        }
        if fallback?.stream !== stream { fallback = FallbackReader(stream, doorbell: doorbell) }
        return fallback
    }
}

// MARK: - File

extension AbsenceLoop {
    /// Plays the file until the source is back, or something else is to be shown.
    private func playFile(_ path: String, _ tracks: [Track], _ absence: Absence) {
        do throws(SourceFailure) {
            let file = try SubstituteFile(path: path, as: tracks, interruption: interruption)
            // The substitute has the delay that the source had, as the slate.
            let delay = stream.clock.now - stream.epoch - absence.nanoseconds
            let (stream, stop) = (stream, stop)
            let clock = PaceClock(
                now: { .now() + -delay },
                wait: { Self.wait(until: $0 + delay, while: absence, in: stream, stops: [stop, $1]) })
            let end = StopSignal()
            began(showing: path)
            try file.play(epoch: stream.epoch, clock: clock, stop: end) { [self] unit in
                // Silence that cannot be encoded is left out.
                try? publishSilence(of: file.missing, until: unit.decodeTime.nanoseconds)
                stream.publishSubstitute(unit)
                if fallbackReader()?.isReady(for: tracks) == true { end.raise() }
            }
        } catch {
            guard !stop.isSet else { return }
            hasFileFailed = true
            report("\(error.reason); a slate is shown instead")
        }
    }

    /// Waits while the same absence lasts and has viewers.
    ///
    /// - Returns: whether the file is to be played on.
    private static func wait(
        until instant: MonotonicTime, while absence: Absence, in stream: Stream, stops: [StopSignal]
    ) -> Bool {
        while stops.allSatisfy({ !$0.isSet }), stream.demand.isNeeded,
            stream.absence()?.announcementCount == absence.announcementCount
        {
            let now = MonotonicTime.now()
            if now >= instant { return true }
            guard stops[0].sleep(until: min(instant, now.advanced(byMilliseconds: 50))) else { return false }
        }
        return false
    }
}
