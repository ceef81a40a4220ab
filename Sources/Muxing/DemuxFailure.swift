import CFFmpeg

/// Why a container cannot be read, and what its owner can do about it.
public struct DemuxFailure: Error, Equatable, Sendable {
    /// One sentence, without a full stop.
    public let reason: String
    /// What to do, as an order to the reader; empty where there is nothing.
    public let remedy: String
    /// Whether the reader was interrupted: no fault of the file.
    public let isInterruption: Bool

    init(_ reason: String, remedy: String, isInterruption: Bool = false) {
        self.reason = reason
        self.remedy = remedy
        self.isInterruption = isInterruption
    }

    /// A refusal by libavformat, in its words.
    init(_ what: String, code: CInt, remedy: String) {
        var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
        // An unknown code still leaves "Error number … occurred" in the buffer.
        _ = av_strerror(code, &text, text.count)
        let words = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.init("\(what): \(words)", remedy: remedy, isInterruption: code == apus_averror_exit)
    }
}
