import Glibc
import Reactor

/// A file for the result of a command. It is created, and emptied, before the work begins.
final class OutputFile {
    private let path: String
    private let descriptor: Int32

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("open") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ text: String) throws(Failure) {
        var rest = Array(text.utf8)
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write") }
            rest.removeFirst(count)
        }
    }

    private func failure(_ call: StaticString) -> Failure {
        Failure(description: "\(path) cannot be written: \(SystemError(call: call, code: errno))")
    }
}
