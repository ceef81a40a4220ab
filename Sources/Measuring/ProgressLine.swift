import Glibc

/// One line at the terminal that tells how a run stands, written over itself.
public enum ProgressLine {
    /// What writes it, if standard error is a terminal.
    public static func ifTerminal() -> (@Sendable (ViewersProgress) -> Void)? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        return { progress in
            let seconds = ReportTable.number(progress.elapsedSeconds, digits: 0)
            write(
                "\r\u{1B}[K\(seconds) s: \(progress.playing) of \(progress.viewers) viewers play, "
                    + "\(ReportTable.megabytes(progress.bytes)), \(progress.gaps) gaps")
        }
    }

    /// Takes the line away, if there can be one.
    public static func clear() {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K") }
    }

    /// A line that the terminal does not take is no loss.
    private static func write(_ text: String) {
        let bytes = [UInt8](text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
