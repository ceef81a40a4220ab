import CFFmpeg

/// The log of the codec and container libraries. It is silent until a sink is set.
public enum CodecLog {
    /// The severity of a line. Lines below `warning` are never passed on.
    public enum Severity: Hashable, Sendable {
        case error
        case warning
    }

    /// Passes warnings and errors of the FFmpeg libraries to `sink`, line by line, on the thread that logs; `nil` silences them.
    /// This setting is process-wide. `sink` must not capture anything because C calls it.
    public static func setSink(_ sink: (@convention(c) (_ level: CInt, _ line: UnsafePointer<CChar>?) -> Void)?) {
        apus_set_log_sink(AV_LOG_WARNING, sink)
    }

    /// Converts one of libav's log levels.
    public static func severity(level: CInt) -> Severity {
        level <= AV_LOG_ERROR ? .error : .warning
    }

    /// Silences the libraries once, before the first codec opens, unless a sink has been set.
    static let quietByDefault: Void = apus_log_default_quiet()

    /// Which of the captured error lines become the reason of a failure.
    enum ReasonSource {
        /// The first error; later errors only follow from it.
        case first
        /// The last error, which names what failed, and then the first, which gives the cause.
        case lastThenFirst
    }

    /// Runs `body` and keeps the log lines of this thread from the sink. If `body` fails, the reason is the captured error
    /// lines about `name`, because error codes say little (`Operation not permitted` if a driver is missing).
    static func capturing<Result>(
        _ name: String, reasonFrom: ReasonSource = .first, _ body: () throws(CodecFailure) -> Result
    ) throws(CodecFailure) -> Result {
        _ = quietByDefault
        apus_log_hold()
        do throws(CodecFailure) {
            let result = try body()
            _ = apus_log_release()
            return result
        } catch {
            let first = sentence(apus_log_release())
            let last = sentence(apus_log_last_held())
            let reported = reasonFrom == .first || last == first ? first : "\(last): \(first)"
            throw first.isEmpty ? error : CodecFailure(reason: "\(name): \(reported)", remedy: error.remedy)
        }
    }

    /// Removes the full stop at the end of a library's log line.
    private static func sentence(_ line: UnsafePointer<CChar>?) -> String {
        var sentence = line.map { String(cString: $0) } ?? ""
        while sentence.last == "." || sentence.last == " " { sentence.removeLast() }
        return sentence
    }
}
