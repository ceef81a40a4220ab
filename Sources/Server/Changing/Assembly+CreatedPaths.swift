import Delivery
import Dispatch
import RTSP
import RTSPServer
import Streams

/// The pattern by which a publisher created a path.
struct CreatedPathOrigin: Hashable, Sendable {
    let pattern: PathPattern
    /// The settings of the pattern.
    var settings: Configuration.Path
    /// The user, or without users the host, which may create a limited number of paths.
    let owner: String
}

/// Paths that publishers create by a pattern such as `live/*`. They are removed when they have neither a publisher nor a viewer.
extension Assembly {
    /// Creates a path for a publisher. Returns at once.
    ///
    /// - Parameter then: is called on another thread.
    /// - Returns: false if no pattern matches the path.
    func create(
        _ missing: PathDirectory.MissingPath, then: @escaping @Sendable (Refusal?) -> Void
    ) -> Bool {
        let name = String(missing.path.dropFirst())
        let patterns = state.withLock { $0.configuration.publishPatterns }
        guard patterns.contains(where: { $0.pattern.matches(missing.path) }) else { return false }
        tasks.run { [self] in
            do throws(Refusal) {
                try state.withLock { (state) throws(Refusal) in
                    try create(name, for: missing.publisher, in: &state)
                }
                then(nil)
            } catch {
                then(error)
            }
        }
        return true
    }

    private func create(
        _ name: String, for publisher: PublishingPoint.Publisher, in state: inout State
    ) throws(Refusal) {
        // Another publisher may have created it meanwhile.
        guard !state.isStopping, state.paths[name] == nil else { return }
        guard
            let (pattern, settings) = state.configuration.publishPatterns.first(where: {
                $0.pattern.matches("/\(name)")
            })
        else { throw Refusal(.notFound) }
        guard isPathName(name) else {
            throw Refusal(
                .forbidden,
                reason: "Forbidden: a path has up to 8 parts of letters, digits, -, _ and ., and no reserved name")
        }
        let origin = CreatedPathOrigin(
            pattern: pattern, settings: settings, owner: publisher.user ?? publisher.peer.host)
        let others = state.createdPaths.values.filter { $0.pattern == pattern }
        guard others.count < settings.publish.maximumPaths else {
            throw Refusal(
                .serviceUnavailable, reason: "Service Unavailable: \(pattern) has \(others.count) paths already")
        }
        guard others.count(where: { $0.owner == origin.owner }) < settings.publish.maximumPathsPerUser else {
            throw Refusal(.forbidden, reason: "Forbidden: \(origin.owner) has too many paths of \(pattern)")
        }
        add(name, settings, of: state.configuration, to: &state)
        state.createdPaths[name] = origin
        forwardCreated(name, of: state)
        guard let path = state.paths[name] else { return }
        let remove: @Sendable () -> Void = { [weak self, tasks] in
            tasks.run { [weak self] in self?.removeIfUnused(name) }
        }
        path.publishing?.observeEnd(remove)
        path.stream.demand.observe(remove)
        path.supervisor.start()
        // The publisher may never send RECORD.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.recordSeconds), execute: remove)
    }

    /// How long a created path waits for its first RECORD: the handshake takes milliseconds, and some clients wait for their camera.
    private static let recordSeconds = 20

    /// Removes a created path that has neither a publisher nor a viewer.
    private func removeIfUnused(_ name: String) {
        state.withLock { state in
            guard state.createdPaths[name] != nil, let path = state.paths[name], path.publishing?.publisher == nil,
                !path.stream.demand.isNeeded
            else { return }
            removeCreated(name, from: &state)
        }
    }

    /// Forwards a created path as its pattern says. The forward does not keep the path, which is removed without a publisher.
    private func forwardCreated(_ name: String, of state: State) {
        guard let path = state.paths[name], let origin = state.createdPaths[name] else { return }
        let options = PathOptions(name, origin.settings, in: state.configuration)
        let part = String(name.dropFirst(origin.pattern.description.utf8.count - 1))
        let wanted = origin.settings.forward.compactMap { forward -> Configuration.Forward? in
            guard let destination = forward.destination.replacingPlaceholder(by: part) else { return nil }
            var forward = forward
            forward.destination = destination
            return forward
        }
        forwards.set(
            wanted,
            of: ForwardedStream(
                stream: path.stream, title: options.title, information: options.description, isHeld: false))
    }

    /// Removes the created paths whose pattern has been removed or changed. If only the pattern's forwards have changed, the paths stay.
    func removeOutdated(from state: inout State) {
        let patterns = Dictionary(
            state.configuration.publishPatterns.map { ($0.pattern, $0.path) }, uniquingKeysWith: { first, _ in first })
        for (name, origin) in state.createdPaths where patterns[origin.pattern] != origin.settings {
            guard let settings = patterns[origin.pattern], settings.withoutForwards == origin.settings.withoutForwards
            else {
                removeCreated(name, from: &state)
                continue
            }
            state.createdPaths[name]?.settings = settings
            forwardCreated(name, of: state)
        }
    }

    func removeCreated(_ name: String, from state: inout State) {
        state.createdPaths[name] = nil
        guard let path = state.paths.removeValue(forKey: name) else { return }
        withdraw(path)
    }
}

extension Configuration.Path {
    fileprivate var withoutForwards: Self {
        var path = self
        path.forward = []
        return path
    }
}
