import CFFmpeg

/// The reason why a container cannot be read, and a remedy.
public struct DemuxFailure: Error, Equatable, Sendable {
    /// One sentence, without a full stop.
    public let reason: String
    /// What the user can do, as an imperative; empty if there is nothing to do.
    public let remedy: String
    /// Whether reading was interrupted by `Interruption`: not a fault of the file.
    public let isInterruption: Bool

    init(_ reason: String, remedy: String, isInterruption: Bool = false) {
        self.reason = reason
        self.remedy = remedy
        self.isInterruption = isInterruption
    }

    /// A failure reported by libavformat, with its message.
    init(_ what: String, code: CInt, remedy: String) {
        var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
        // For an unknown code, av_strerror still writes "Error number … occurred".
        _ = av_strerror(code, &text, text.count)
        let words = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.init("\(what): \(words)", remedy: remedy, isInterruption: code == apus_averror_exit)
    }
}
