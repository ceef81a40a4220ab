import Glibc

/// Writes `text` to standard output at once. Text that cannot be written is lost.
public func writeToStandardOutput(_ text: String) {
    write(text, to: STDOUT_FILENO)
}

/// Writes `text` to standard error at once. Text that cannot be written is lost.
@Sendable public func writeToStandardError(_ text: String) {
    write(text, to: STDERR_FILENO)
}

private func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
