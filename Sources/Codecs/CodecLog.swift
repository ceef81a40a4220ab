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

    /// What becomes the reason of a failure, of all that the libraries told meanwhile.
    enum ReasonSource {
        /// The first error: those behind it only follow from it.
        case first
        /// The last error, which names what failed, and then the first, which names why.
        case lastThenFirst
    }

    /// Runs `body` without a line of its thread reaching the sink. The reason of a failure is what the libraries told
    /// meanwhile about `name`: their codes say little (`Operation not permitted` where a driver is missing).
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

    /// A line of the libraries' without the full stop at its end.
    private static func sentence(_ line: UnsafePointer<CChar>?) -> String {
        var sentence = line.map { String(cString: $0) } ?? ""
        while sentence.last == "." || sentence.last == " " { sentence.removeLast() }
        return sentence
    }
}
