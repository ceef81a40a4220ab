/// The four characters that name a codec in enhanced RTMP (Enhanced RTMP v2, sections on video and audio codecs).
struct FourCC: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ text: String) {
        rawValue = text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    static let avc = Self("avc1")
    static let hevc = Self("hvc1")
    static let aac = Self("mp4a")
    static let opus = Self("Opus")

    /// The four bytes.
    var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) } }

    /// The characters, for messages; other bytes than printable ASCII become question marks.
    var text: String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}
