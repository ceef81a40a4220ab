import Glibc
import Logging
import Reactor
import Synchronization

/// `settings.yml` in the state folder: the settings that were changed over HTTP, for the next start. Thread-safe.
///
/// One server at a time uses it (``SettingsLock``): two would overwrite each other's settings.
final class SettingsFile: Sendable {
    private struct State: ~Copyable {
        /// `nil` until it is needed.
        var lock: SettingsLock?
        /// Why the last change is not in the file; `nil` if it is.
        var problem: String?
    }

    /// `nil` if nothing can be kept.
    private let folder: StateFolder?
    private let state = Mutex(State())

    init(in folder: StateFolder?) {
        self.folder = folder
    }

    /// Why the settings of now would not survive a restart; `nil` if they would.
    var problem: String? { state.withLock { $0.problem } }

    /// The settings that the file contains; none if there is no file, or if it cannot be used, which is logged.
    ///
    /// A damaged file is renamed to `settings.yml.damaged`, so that a user can repair it, and no change overwrites it.
    func load(log: Logger) -> SettingsOverlay {
        guard let folder else { return SettingsOverlay() }
        do throws(Failure) {
            guard let overlay = try Self.settings(in: folder) else { return SettingsOverlay() }
            try lock(folder)
            return overlay
        } catch {
            log.error("the settings changed over HTTP are not used", metadata: ["reason": "\(error.summary)"])
            guard case .damaged(let failure) = error else { return SettingsOverlay() }
            for problem in failure.description.split(separator: "\n") { log.error("\(problem)") }
            let damaged = Self.path(in: folder) + ".damaged"
            if rename(Self.path(in: folder), damaged) == 0 { log.error("the damaged settings are in \(damaged) now") }
            return SettingsOverlay()
        }
    }

    /// Writes the present settings. Returns when they are on the disk.
    ///
    /// - Parameter overlay: reads them, so that of several changes the last one stays.
    func keep(_ overlay: () -> SettingsOverlay) throws(StateFailure) {
        do throws(Failure) {
            guard let folder else { throw .noFolder }
            // If there is no folder, replacing the file fails with the reason.
            try? folder.make()
            try lock(folder)
            try state.withLock { (state) throws(Failure) in
                let (file, text) = (Self.path(in: folder), overlay().text)
                guard text.utf8.count <= SettingsOverlay.maximumByteCount else {
                    throw .folder(
                        StateFailure("\(file) would have more than \(SettingsOverlay.maximumByteCount) bytes"))
                }
                do throws(StateFailure) {
                    try folder.replace(file, by: Array(text.utf8))
                } catch {
                    throw .folder(error)
                }
                state.problem = nil
            }
        } catch {
            state.withLock { $0.problem = error.summary }
            throw StateFailure(error.summary)
        }
    }

    /// Lets another server use the file.
    func release() { state.withLock { $0.lock = nil } }

    /// Takes the lock, unless this server has it.
    private func lock(_ folder: StateFolder) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            guard state.lock == nil else { return }
            do throws(SettingsLock.Failure) {
                state.lock = try SettingsLock(in: folder)
            } catch {
                // Where no lock can be made, no server can write the file.
                if error == .taken { throw .taken(folder) }
            }
        }
    }
}

// MARK: - Reading

extension SettingsFile {
    static func path(in folder: StateFolder) -> String { "\(folder.path)/settings.yml" }

    /// The settings in `folder`; `nil` if there is no file.
    static func settings(in folder: StateFolder) throws(Failure) -> SettingsOverlay? {
        let bytes: [UInt8]?
        do throws(StateFailure) {
            bytes = try folder.contents(of: path(in: folder), maximumByteCount: SettingsOverlay.maximumByteCount)
        } catch {
            throw .folder(error)
        }
        guard let bytes else { return nil }
        do throws(ConfigurationFailure) {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ConfigurationFailure(file: path(in: folder), message: "is not UTF-8 text")
            }
            return try SettingsOverlay(yaml: text, file: path(in: folder))
        } catch {
            throw .damaged(error)
        }
    }

    /// The settings in `folder`, for commands; none if there is no file.
    static func usable(in folder: StateFolder) throws(Failure) -> SettingsOverlay {
        try settings(in: folder) ?? SettingsOverlay()
    }

    /// Why the file cannot be used.
    enum Failure: Error, CustomStringConvertible {
        case noFolder
        /// Another server uses it.
        case taken(StateFolder)
        case folder(StateFailure)
        case damaged(ConfigurationFailure)

        /// One sentence without a full stop.
        var summary: String {
            switch self {
            case .noFolder: "there is no folder for them, because STATE_DIRECTORY, XDG_STATE_HOME and HOME are not set"
            case .taken(let folder):
                "another server uses \(path(in: folder)); give this one a folder of its own (STATE_DIRECTORY)"
            case .folder(let failure): failure.description
            case .damaged(let failure): "\(failure.file) is damaged"
            }
        }

        /// For commands: all problems of a damaged file, one per line.
        var description: String {
            guard case .damaged(let failure) = self else { return summary }
            return failure.description
        }
    }
}
