import Foundation
import TestSupport

/// VLC as Debian and Ubuntu ship it, which plays one URL without a window: its log, its statistics by remote control.
///
/// It takes a whole core: while it plays, its SAT>IP module asks its socket for packets without a pause.
final class VLC {
    /// What its module `oldrc` answers to `stats`.
    struct Statistics {
        private let figures: [String: Int]

        /// Lines such as `| frames displayed :     1796`, among others.
        init(_ text: String) {
            figures = text.split(whereSeparator: \.isNewline).reduce(into: [:]) { figures, line in
                let parts = line.split(separator: ":")
                guard parts.count == 2, let figure = parts[1].split(separator: " ").first.flatMap({ Int($0) }) else {
                    return
                }
                figures[parts[0].trimmingCharacters(in: CharacterSet(charactersIn: "| "))] = figure
            }
        }

        var decodedPictures: Int { figures["video decoded"] ?? 0 }
        var displayedPictures: Int { figures["frames displayed"] ?? 0 }
        var lostPictures: Int { figures["frames lost"] ?? 0 }
        var playedSounds: Int { figures["buffers played"] ?? 0 }
        var lostSounds: Int { figures["buffers lost"] ?? 0 }
        var discontinuities: Int { figures["discontinuities"] ?? 0 }
    }

    static var isInstalled: Bool { Command.exists("vlc") && Command.exists("setpriv") }

    private let command: Command
    private let home: TemporaryFolder
    /// Its standard input: at the end of a file it would go on reading, at full speed.
    private let control: FileHandle

    /// Starts it, as nobody where the test runs as root, which VLC refuses.
    ///
    /// - Parameter prefix: what runs it, such as `ip netns exec`.
    init(playing url: String, prefix: [String] = []) throws {
        home = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: home.path)
        let fifo = home.file("control")
        // Open for both, so that neither end waits for the other.
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

    /// What it has logged so far.
    var log: [Substring] { command.errors.split(separator: "\n") }

    /// Waits for statistics that are as `condition` wants them.
    ///
    /// - Returns: those; `nil` where there were none within `seconds`.
    func statistics(within seconds: Double, where condition: (Statistics) -> Bool) async throws -> Statistics? {
        let deadline = ContinuousClock.now + .seconds(seconds * Sanitizer.patience)
        while command.isRunning, ContinuousClock.now < deadline {
            if let statistics = try await statistics(), condition(statistics) { return statistics }
            // So often does VLC bring them up to date.
            try await Task.sleep(for: .milliseconds(250))
        }
        return nil
    }

    /// The statistics of now; `nil` where it does not answer.
    private func statistics() async throws -> Statistics? {
        let count = answers.count
        try control.write(contentsOf: Data("stats\n".utf8))
        guard await eventually(within: 5, { answers.count > count }) else { return nil }
        return answers.last.map { Statistics(String($0)) }
    }

    /// All that it has answered to `stats`, each up to its last line.
    private var answers: [Substring] {
        String(decoding: command.output, as: UTF8.self).split(separator: "end of statistical info").dropLast()
    }

    /// Ends it as its users do.
    func quit() async throws -> Command.Outcome {
        try control.write(contentsOf: Data("quit\n".utf8))
        return await command.finish(within: 5)
    }
}
