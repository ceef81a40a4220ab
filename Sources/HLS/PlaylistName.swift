import Media

/// The name of a media playlist in a URL: `all-0.m3u8`, `audio-0.m3u8`, `video-1.m3u8`. It stays the same when a segmenter is
/// replaced by another.
public struct PlaylistName: Hashable, Sendable {
    /// The kinds of tracks in it.
    public enum Content: String, Hashable, Sendable, CaseIterable {
        case all
        case audio
        case video

        public var kinds: Set<Codec.Kind> {
            switch self {
            case .all: [.video, .audio]
            case .audio: [.audio]
            case .video: [.video]
            }
        }
    }

    public let content: Content
    /// Which of the stream's qualities it is: 0 is the stream itself, the others are its substreams.
    public let index: Int

    public init(_ content: Content, _ index: Int) {
        (self.content, self.index) = (content, index)
    }

    public var text: String { "\(content.rawValue)-\(index).m3u8" }

    /// `nil` if the text is no name, or not as this type writes it.
    public init?(_ text: String) {
        guard text.utf8.count <= 32, text.utf8.suffix(5).elementsEqual(".m3u8".utf8) else { return nil }
        let words = text.utf8.dropLast(5).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard words.count == 2, let content = Content(rawValue: words[0]), let index = Int(words[1]), index >= 0 else {
            return nil
        }
        self.init(content, index)
        guard self.text == text else { return nil }
    }
}
