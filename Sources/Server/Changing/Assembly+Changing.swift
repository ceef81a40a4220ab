import Capture
import Logging
import RTSP
import RTSPServer
import RateControl
import Streams

/// Changes of the configuration while the server runs.
extension Assembly {
    /// Runs `reading`, which reads a configuration and applies it, on a separate thread. Returns at once.
    ///
    /// Reading a configuration tests its filters, which may wait for their input.
    public func reload(_ reading: @escaping @Sendable () -> Void) {
        reloads.run(reading)
    }

    /// Applies `new` with the settings that were changed over HTTP, as far as a running server can. Viewers of unchanged paths are
    /// not affected.
    ///
    /// Blocks until changed filters have opened their input, if there are such settings. Does not wait for sources or viewers. May be
    /// called from any thread; changes are applied one after the other.
    /// - Parameter stated: which options the file and the command line set.
    /// - Returns: the effects; none if the server is stopping.
    @discardableResult
    public func apply(_ new: Configuration, stated: StatedOptions = StatedOptions()) -> [AppliedChange] {
        loadSRT(for: new)
        while true {
            let overlay = state.withLock(\.overlay)
            let (wanted, settings) = new.overlaid(by: overlay, stated: stated)
            let applied = state.withLock { state -> (changes: [AppliedChange], warnings: [String])? in
                guard state.overlay == overlay else { return nil }
                let warnings = state.configuration.masksMoved(by: wanted)
                (state.base, state.stated) = (new, stated)
                return (apply(wanted, to: &state), warnings)
            }
            guard let (changes, warnings) = applied else { continue }
            for warning in warnings { log.warning("\(warning)") }
            Self.report(settings, log)
            return changes
        }
    }

    /// Changes options of one path: all of them, or none if one of them cannot be changed.
    ///
    /// Blocks until the path's filters have opened their input, and up to four seconds for a new source. Other threads continue.
    /// - Parameters:
    ///   - assignments: `video.bitrate=4M`; see `Assignment`.
    ///   - name: the name of the path, without its slash.
    public func set(_ assignments: [String], of name: String) throws(SettingFailure) -> [AppliedChange] {
        while true {
            let present = state.withLock { $0.configuration }
            // Without the lock, because filters are tested here.
            let wanted = try present.setting(assignments, of: name)
            try wanted.testSource(of: name, since: present)
            loadSRT(for: wanted)
            guard let changes = try apply(wanted, inPlaceOf: present) else { continue }
            return changes.withoutWaiting
        }
    }

    /// - Returns: `nil`, without an effect, if the configuration is no longer `present`.
    private func apply(
        _ wanted: Configuration, inPlaceOf present: Configuration
    ) throws(SettingFailure) -> [AppliedChange]? {
        try state.withLock { (state) throws(SettingFailure) -> [AppliedChange]? in
            guard !state.isStopping else { throw .isEnding }
            return state.configuration == present ? apply(wanted, to: &state) : nil
        }
    }

    func apply(_ new: Configuration, to state: inout State) -> [AppliedChange] {
        guard !state.isStopping else { return [] }
        let difference = ConfigurationDifference(from: state.configuration, to: new, running: running)
        let former = state.configuration
        state.configuration = new
        threshold.level = new.log.level
        logStatus(everySeconds: new.log.statusSeconds)
        // Before a new path is served: the new rights apply to it.
        if difference.isAccessChanged { applyAccess(of: new, &state) }
        if difference.isCertificateMoved { follow(CertificateFiles(new.tls)) }
        webhooks.set(new.webhooks)
        srt?.services.change(to: new)
        removeOutdated(from: &state)
        // A path of the configuration replaces one that a publisher has created.
        for name in difference.added where state.createdPaths[name] != nil { removeCreated(name, from: &state) }
        // Old sources stop first, so that new ones can open their devices.
        var endings = difference.removed.compactMap { remove($0, of: former, from: &state) }
        for (name, _) in new.servedPathsParentsFirst where difference.added.contains(name) {
            if let path = new.servedPaths[name] { add(name, path, of: new, to: &state) }
        }
        for path in difference.changed where path.isSourceChanged {
            guard let ending = replaceSource(of: path.name, former, new, in: &state) else { continue }
            endings.append(ending)
        }
        for path in difference.changed {
            updateOptions(path, in: new, state)
            if let override = new.servedPaths[path.name]?.publish.override {
                state.paths[path.name]?.publishing?.setOverride(override)
            }
            if let settings = new.servedPaths[path.name] {
                state.paths[path.name]?.stream.captureTimeSEI = settings.timestamps
                state.paths[path.name]?.stream.setRates(EncoderRate.Settings(settings))
                state.paths[path.name]?.companion.change(to: settings.transcode, EncodingSettings(settings).audio)
            }
        }
        for (name, path) in state.paths {
            let streams = state.paths
            path.stream.renditions = Renditions(of: name, in: new) { streams[$0]?.stream }
        }
        for name in difference.added + difference.changed.map(\.name) {
            if let path = state.paths[name] { forward(name, path.stream, of: new) }
        }
        for name in difference.added { start(name, after: endings, in: state) }
        for path in difference.changed where path.isSourceChanged { start(path.name, after: endings, in: state) }
        let results = difference.changed.map { ($0.name, reconfigure($0, in: state)) }
        for path in difference.changed {
            events.publish("/\(path.name)") { .settingsChanged(path.options.values.flatMap(\.self).sorted()) }
        }
        return AppliedChange.all(in: difference, results: Dictionary(uniqueKeysWithValues: results))
    }

    private func applyAccess(of configuration: Configuration, _ state: inout State) {
        if configuration.needsViewerPassword { load(.viewer, into: &state.viewer) }
        if configuration.needsPublisherPassword { load(.publisher, into: &state.publisher) }
        if configuration.isOpen { log.warning("\(StartupNotice.openWarning)") }
        destinations.rules = configuration.access.destinations
        let server = server
        server.admit(
            by: AccessPolicy(
                configuration, viewer: (state.viewer ?? .closed).password,
                publisher: configuration.needsPublisherPassword ? (state.publisher ?? .closed).password : nil),
            HTTPCallback(configuration.access, log: log))
        Task(executorPreference: tasks) { [servers] in await servers.review() }
    }

    /// Loads a generated password, if that has not been done yet. Without a usable password, no client can log in with one.
    private func load(_ user: GeneratedPassword.User, into access: inout GeneratedAccess?) {
        do throws(StateFailure) {
            if access == nil { access = try generatedAccess(user) }
            let command = user == .viewer ? "; apus playlist shows it" : ""
            log.notice("the configuration has no users, so clients need the \(user)'s password\(command)")
        } catch {
            log.error("no client can log in with the \(user)'s password", metadata: ["reason": "\(error)"])
        }
    }

    /// Reads the certificate from other files, if TLS is used. Without the lock, because a file may be on a slow network drive.
    private func follow(_ files: CertificateFiles) {
        let watch = certificateWatch
        reloads.run { watch?.follow(files) }
    }

    // MARK: - Paths

    /// A source that is stopping.
    private struct Ending {
        let name: String
        let source: SourceSpecification
        let supervisor: SourceSupervisor
    }

    private func remove(_ name: String, of configuration: Configuration, from state: inout State) -> Ending? {
        guard let path = state.paths.removeValue(forKey: name), let settings = configuration.servedPaths[name] else {
            return nil
        }
        withdraw(path)
        return Ending(name: name, source: settings.source, supervisor: path.supervisor)
    }

    /// Stops a path that is no longer served: its source, and its viewers' sessions.
    func withdraw(_ path: ServedPath) {
        let (servers, stream) = (servers, path.stream)
        stream.renditions = nil
        events.publish(stream.path) { .pathRemoved }
        directory.remove(stream.path)
        forwards.remove(stream.path)
        path.supervisor.stop()
        status.forget(stream.path)
        Task(executorPreference: tasks) { await servers.withdraw(stream) }
    }

    /// Forwards a path as its options say.
    func forward(_ name: String, _ stream: Streams.Stream, of configuration: Configuration) {
        guard let path = configuration.servedPaths[name] else { return }
        let options = PathOptions(name, path, in: configuration)
        forwards.set(
            path.forward,
            of: ForwardedStream(
                stream: stream, title: options.title, information: options.description, isHeld: true))
    }

    /// Serves a path. Its source is started later.
    func add(_ name: String, _ path: Configuration.Path, of configuration: Configuration, to state: inout State) {
        let stream = Streams.Stream(path: "/\(name)", clock: clock, limits: .init(running), events: events)
        stream.captureTimeSEI = path.timestamps
        stream.setRates(EncoderRate.Settings(path))
        let servers = servers
        stream.observeEnd { [tasks] stream in Task(executorPreference: tasks) { await servers.end(stream) } }
        state.paths[name] = ServedPath(
            path, of: parent(of: path, in: state), on: stream, pulls: pulls, tracks: tracks, absences: absences,
            log: log)
        directory.insert(
            stream, options: PathOptions(name, path, in: configuration), publishing: state.paths[name]?.publishing)
        events.publish(stream.path) { .pathAdded }
    }

    private func replaceSource(
        of name: String, _ old: Configuration, _ new: Configuration, in state: inout State
    ) -> Ending? {
        guard let before = old.servedPaths[name], let after = new.servedPaths[name] else { return nil }
        let parent = parent(of: after, in: state)
        guard let supervisor = state.paths[name]?.replaceSource(by: after, of: parent) else { return nil }
        if let path = state.paths[name] {
            directory.insert(path.stream, options: PathOptions(name, after, in: new), publishing: path.publishing)
        }
        return Ending(name: name, source: before.source, supervisor: supervisor)
    }

    private func parent(of path: Configuration.Path, in state: State) -> ServedPath? {
        path.source.parent.flatMap { state.paths[$0] }
    }

    /// Starts the path's source when the sources that use its stream or its device have stopped.
    private func start(_ name: String, after endings: [Ending], in state: State) {
        guard let path = state.paths[name], let source = state.configuration.servedPaths[name]?.source else { return }
        path.supervisor.start(
            after: endings.filter { $0.name == name || $0.source == source }.map(\.supervisor))
    }

    /// Gives new viewers the path's new options, and disconnects the members of groups that have changed.
    private func updateOptions(_ path: PathDifference, in configuration: Configuration, _ state: State) {
        guard path.arePathOptionsChanged, let stream = state.paths[path.name]?.stream,
            let settings = configuration.servedPaths[path.name]
        else { return }
        directory.insert(
            stream, options: PathOptions(path.name, settings, in: configuration),
            publishing: state.paths[path.name]?.publishing)
        guard path.areGroupsChanged else { return }
        let server = server
        Task(executorPreference: tasks) { await server.withdrawGroups(of: stream) }
    }

    /// Passes the new settings to the path's running source.
    private func reconfigure(_ path: PathDifference, in state: State) -> ReconfigurationResult {
        guard path.options[.encoding] != nil, let source = state.paths[path.name]?.source,
            let settings = state.configuration.servedPaths[path.name]
        else { return .applied }
        return source.change(to: settings)
    }
}
