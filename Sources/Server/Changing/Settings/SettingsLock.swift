import Glibc
import Reactor

/// Lets one server at a time use the settings of a state folder. The lock is free again when this value ends, or its process.
struct SettingsLock: ~Copyable, Sendable {
    enum Failure: Error, Equatable {
        /// Another server has it.
        case taken
        case unavailable(SystemError)
    }

    private let descriptor: Descriptor

    init(in folder: StateFolder) throws(Failure) {
        let fd = open("\(folder.path)/settings.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard fd >= 0 else { throw .unavailable(SystemError(call: "open", code: errno)) }
        let descriptor = Descriptor(adopting: fd)
        guard flock(fd, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            throw code == EWOULDBLOCK ? .taken : .unavailable(SystemError(call: "flock", code: code))
        }
        self.descriptor = descriptor
    }
}
