import Foundation
import TestSupport

/// VLC as shipped by Debian and Ubuntu. It plays one URL without a window; the test reads its log and its statistics.
///
/// It uses a whole core because its SAT>IP module polls its socket without a pause.
final class VLC {
    /// The response of its module `oldrc` to `stats`.
    struct Statistics {
        private let figures: [String: Int]

        /// Matches lines such as `| frames displayed :     1796`.
        init(_ text: String) {
            figures = text.split(whereSeparator: \.isNewline).reduce(into: [:]) { figures, line in
                let parts = line.split(separator: ":")
                guard parts.count == 2, let figure = parts[1].split(separator: " ").first.flatMap({ Int($0) }) else {
                    return
                }
                figures[parts[0].trimmingCharacters(in: CharacterSet(charactersIn: "| "))] = figure
            }
        }

        var decodedFrames: Int { figures["video decoded"] ?? 0 }
        var displayedFrames: Int { figures["frames displayed"] ?? 0 }
        var lostFrames: Int { figures["frames lost"] ?? 0 }
        var playedAudioBuffers: Int { figures["buffers played"] ?? 0 }
        var lostAudioBuffers: Int { figures["buffers lost"] ?? 0 }
        var discontinuities: Int { figures["discontinuities"] ?? 0 }
    }

    static var isInstalled: Bool { Command.exists("vlc") && Command.exists("setpriv") }

    private let command: Command
    private let home: TemporaryFolder
    /// Its standard input, a fifo: at the end of a file it would read again and again at full speed.
    private let control: FileHandle

    /// Starts VLC; if the test runs as root, as the user `nobody`, because VLC refuses to run as root.
    ///
    /// - Parameter prefix: A command that runs it, such as `ip netns exec`.
    init(playing url: String, prefix: [String] = []) throws {
        home = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: home.path)
        let fifo = home.file("control")
        // Opened for reading and writing, so that neither end waits for the other.
        guard mkfifo(fifo, 0o600) == 0, let control = FileHandle(forUpdatingAtPath: fifo) else {
            throw Command.Failure.cannotStart("\(fifo): \(errno)")
        }
        self.control = control
        let asNobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        command = try Command(
            prefix + (geteuid() == 0 ? asNobody : []) + ["env", "HOME=\(home.path)"]
                + ["vlc", "-vv", "--no-color", "--intf=oldrc", "--rc-fake-tty", "--vout=dummy", "--aout=dummy", url],
            input: fifo)
    }

    /// The log so far.
    var log: [Substring] { command.errors.split(separator: "\n") }

    /// Waits for statistics that fulfil `condition`.
    ///
    /// - Returns: The statistics; `nil` if there were none within `seconds`.
    func statistics(within seconds: Double, where condition: (Statistics) -> Bool) async throws -> Statistics? {
        let deadline = ContinuousClock.now + .seconds(seconds * Sanitizer.patience)
        while command.isRunning, ContinuousClock.now < deadline {
            if let statistics = try await statistics(), condition(statistics) { return statistics }
            // VLC updates them at this interval.
            try await Task.sleep(for: .milliseconds(250))
        }
        return nil
    }

    /// Returns the current statistics; `nil` if VLC does not answer.
    private func statistics() async throws -> Statistics? {
        let count = answers.count
        try control.write(contentsOf: Data("stats\n".utf8))
        guard await eventually(within: 5, { answers.count > count }) else { return nil }
        return answers.last.map { Statistics(String($0)) }
    }

    /// All responses to `stats`, each up to its last line.
    private var answers: [Substring] {
        String(decoding: command.output, as: UTF8.self).split(separator: "end of statistical info").dropLast()
    }

    /// Quits VLC by its command, as users do.
    func quit() async throws -> Command.Outcome {
        try control.write(contentsOf: Data("quit\n".utf8))
        return await command.finish(within: 5)
    }
}
