import CFFmpeg

/// The reason why a codec cannot be opened or has failed, and a remedy.
public struct CodecFailure: Error, Hashable, Sendable {
    /// One sentence, without a full stop: `no encoder is called h264_foo`.
    public let reason: String
    /// What the user can do, as an imperative; empty if there is nothing to do.
    public let remedy: String

    public init(reason: String, remedy: String = "") {
        self.reason = reason
        self.remedy = remedy
    }

    /// A failure reported by a library: `what` and the library's message for `code`.
    init(_ what: String, code: CInt, remedy: String = "") {
        self.init(reason: "\(what): \(Self.words(for: code))", remedy: remedy)
    }

    static let outOfMemory = Self(reason: "out of memory for a codec", remedy: "lower the frame size, or add memory")

    private static func words(for code: CInt) -> String {
        var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
        // For an unknown code, av_strerror still writes "Error number … occurred".
        _ = av_strerror(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
