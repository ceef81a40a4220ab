import Media

// What is published in place of an absent source.

extension Stream {
    /// Lets a substitute be shown when the source has published nothing for `patience` nanoseconds.
    ///
    /// - Parameter keepsTracks: whether the announced tracks stay as they are even without a viewer.
    public func enableSubstitute(patience: Int64, keepsTracks: Bool = false) {
        let now = clock.now
        state.withLock { $0.substitution = Substitution(patience: patience, keepsTracks: keepsTracks, at: now) }
    }

    /// Announces tracks for a source that has not announced any yet. Without effect if it has.
    public func announceSubstitute(_ tracks: [Track]) {
        announce(tracks, bySource: false)
    }

    /// The tracks that a source has announced last, even if viewers were announced others; `nil` before a source has announced any.
    public var sourceTracks: [Track]? { state.withLock { $0.sourceTracks } }

    /// The tracks that a source must be able to take the place of, because viewers were announced them, or the configuration names
    /// them; `nil` if it may have any.
    public var promisedTracks: [Track]? {
        let isNeeded = demand.isNeeded
        return state.withLock { state in
            guard let substitution = state.substitution, isNeeded || substitution.keepsTracks, !state.isAsleep else {
                return nil
            }
            return state.announcement?.tracks
        }
    }

    /// The source has ended, and may begin again.
    ///
    /// - Returns: whether it had published media since its start.
    @discardableResult
    public func sourceEnded(because reason: String) -> Bool {
        let wasUp = state.withLock { state in
            state.substitution?.left()
            defer { state.isSourceUp = false }
            return state.isSourceUp
        }
        if wasUp { events?.publish(path) { .sourceDown(reason: reason) } }
        return wasUp
    }

    /// The announced audio that the source lacks before a substitute is due: all if it has ended; `nil` if there is none.
    ///
    /// Silence begins at once, because a player whose audio has paused stays late by the length of the pause.
    public func missingAudio() -> MissingAudio? {
        let now = clock.now
        return state.withLock { state in
            guard let substitution = state.substitution, !substitution.isDue(at: now), !state.hasEnded, !state.isAsleep,
                let tracks = state.announcement?.tracks.filter({ Self.isMissing($0, state) }), !tracks.isEmpty
            else { return nil }
            return MissingAudio(tracks: tracks, nanoseconds: now - epoch - substitution.substituteDelay)
        }
    }

    private static func isMissing(_ track: Track, _ state: borrowing State) -> Bool {
        guard track.kind == .audio else { return false }
        return state.substitution?.hasLeft == true || state.places?.missing.contains(track.id) == true
    }

    public func disableSubstitute() {
        state.withLock { $0.substitution = nil }
    }

    /// What a substitute must know; `nil` unless the source is absent now.
    public func absence() -> Absence? {
        let now = clock.now
        return state.withLock { state in
            guard let substitution = state.substitution, substitution.isDue(at: now), !state.hasEnded, !state.isAsleep
            else { return nil }
            return Absence(
                tracks: state.announcement?.tracks, lastKeyframe: substitution.lastKeyframe,
                nanoseconds: now - epoch - substitution.substituteDelay, silence: now - substitution.lastUnit,
                announcementCount: state.announcementCount)
        }
    }

    /// Publishes a unit of the substitute, unless the source has returned, or a unit of a track that the source lacks. It is not
    /// counted as published.
    public func publishSubstitute(_ unit: AccessUnit) {
        clock.follow()
        let captured = clock.ntpTime(of: clock.instant(of: unit.presentationTime))
        let now = clock.now
        let feeds = state.withLock { state -> [AnyFeed] in
            guard let track = state.announcement?.tracks.first(where: { $0.id == unit.track }), !state.hasEnded,
                let isDue = state.substitution?.isDue(at: now), isDue || Self.isMissing(track, state)
            else { return [] }
            if isDue { state.substitution?.substituted() }
            var shown = state.timeOrder.inOrder(unit)
            shown.captured = captured
            return Self.append(shown, to: &state)
        }
        for feed in feeds { feed.wake() }
    }

    /// Whether viewers get the source's unit; false while a substitute is still shown.
    func admits(_ unit: AccessUnit, _ state: inout State) -> Bool {
        state.substitution?.received(
            unit, isLeading: unit.track == state.announcement?.tracks.leading?.id,
            sinceDecodeTime: clock.now - clock.instant(of: unit.decodeTime), at: clock.now) ?? true
    }
}
