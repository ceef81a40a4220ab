import Glibc

/// One line at the terminal that tells how a run stands, written over itself.
public enum ProgressLine {
    /// What writes it for `bench viewers`, if standard error is a terminal.
    public static func ifTerminal() -> (@Sendable (ViewersProgress) -> Void)? {
        ifTerminal { progress in
            let seconds = ReportTable.number(progress.elapsedSeconds, digits: 0)
            return "\(seconds) s: \(progress.playing) of \(progress.viewers) viewers play, "
                + "\(ReportTable.megabytes(progress.bytes)), \(progress.gaps) gaps"
        }
    }

    /// What writes it for `measure`, if standard error is a terminal.
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
