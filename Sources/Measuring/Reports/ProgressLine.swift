import Glibc

/// A line on the terminal that shows the progress of a run and is overwritten by the next one.
public enum ProgressLine {
    /// Writes the line of `bench viewers`; `nil` if standard error is not a terminal.
    public static func ifTerminal() -> (@Sendable (ViewersProgress) -> Void)? {
        ifTerminal { progress in
            let seconds = ReportTable.number(progress.elapsedSeconds, digits: 0)
            return "\(seconds) s: \(progress.playing) of \(progress.viewers) viewers play, "
                + "\(ReportTable.megabytes(progress.bytes)), \(progress.gaps) gaps"
        }
    }

    /// Writes the line of `measure`; `nil` if standard error is not a terminal.
    public static func ifTerminal() -> (@Sendable (MeasureProgress) -> Void)? {
        ifTerminal { progress in
            let seconds = ReportTable.number(progress.elapsedSeconds, digits: 0)
            return "\(seconds) s: \(progress.frames) frames, \(progress.lostPackets) packets lost"
        }
    }

    private static func ifTerminal<Progress>(
        _ line: @escaping @Sendable (Progress) -> String
    ) -> (@Sendable (Progress) -> Void)? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        return { write("\r\u{1B}[K" + line($0)) }
    }

    /// Erases the line, if standard error is a terminal.
    public static func clear() {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K") }
    }

    /// Writes `text`; a failed write is ignored, because the line is only informative.
    private static func write(_ text: String) {
        let bytes = [UInt8](text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
