import CFFmpeg

/// Why a codec cannot be opened or cannot go on, and what its owner can do about it.
public struct CodecFailure: Error, Hashable, Sendable {
    /// One sentence, without a full stop: `no encoder is called h264_foo`.
    public let reason: String
    /// What to do, as an order to the reader; empty where there is nothing.
    public let remedy: String

    public init(reason: String, remedy: String = "") {
        self.reason = reason
        self.remedy = remedy
    }

    /// A refusal by a library: `what` and the library's own words for `code`.
    init(_ what: String, code: CInt, remedy: String = "") {
        self.init(reason: "\(what): \(Self.words(for: code))", remedy: remedy)
    }

    static let outOfMemory = Self(reason: "out of memory for a codec", remedy: "lower the picture size, or add memory")

    private static func words(for code: CInt) -> String {
        var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
        // An unknown code still leaves "Error number … occurred" in the buffer.
        _ = av_strerror(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
