import CFFmpeg

/// What the codec and container libraries say about themselves: silent until a sink is set.
public enum CodecLog {
    /// How grave a line is: milder ones are not handed out.
    public enum Severity: Hashable, Sendable {
        case error
        case warning
    }

    /// Hands warnings and errors of the FFmpeg libraries to `sink`, a line at a time, from whichever thread they arise on;
    /// `nil` silences them. Process-wide. `sink` captures nothing, for C calls it.
    public static func setSink(_ sink: (@convention(c) (_ level: CInt, _ line: UnsafePointer<CChar>?) -> Void)?) {
        apus_set_log_sink(AV_LOG_WARNING, sink)
    }

    /// The severity of one of libav's levels.
    public static func severity(level: CInt) -> Severity {
        level <= AV_LOG_ERROR ? .error : .warning
    }

    /// Silences the libraries once, before the first codec opens, unless a sink has been set.
    static let quietByDefault: Void = apus_log_default_quiet()

    /// Runs `body` without a line of its thread reaching the sink. The reason of a failure is the first error that the
    /// libraries told meanwhile about `name`: their codes say little (`Operation not permitted` where a driver is missing).
    static func holding<Result>(
        _ name: String, _ body: () throws(CodecFailure) -> Result
    ) throws(CodecFailure) -> Result {
        _ = quietByDefault
        apus_log_hold()
        do throws(CodecFailure) {
            let result = try body()
            _ = apus_log_release()
            return result
        } catch {
            var told = apus_log_release().map { String(cString: $0) } ?? ""
            while told.last == "." || told.last == " " { told.removeLast() }
            throw told.isEmpty ? error : CodecFailure(reason: "\(name): \(told)", remedy: error.remedy)
        }
    }
}
