import MP4
import Media

/// The multivariant playlist of a stream (RFC 8216bis, section 4.4.6): in which qualities it can be had.
public struct MultivariantPlaylist: Hashable, Sendable {
    /// One quality.
    public struct Variant: Hashable, Sendable {
        public let uri: String
        /// Bits per second, with everything around the media.
        public let peakBitrate: Int
        public let averageBitrate: Int
        /// RFC 6381.
        public let codecs: [String]
        /// `nil` without video.
        public let width: Int?
        public let height: Int?
        /// Frames per second; `nil` if unknown, and without video.
        public let frameRate: Double?

        public init(
            uri: String, peakBitrate: Int, averageBitrate: Int, of initSegment: InitSegment, frameRate: Double?
        ) {
            (self.uri, self.peakBitrate, self.averageBitrate) = (uri, peakBitrate, averageBitrate)
            codecs = initSegment.codecs
            (width, height) = (initSegment.frameSize?.width, initSegment.frameSize?.height)
            self.frameRate = frameRate
        }
    }

    /// What players show about the stream.
    public struct Information: Hashable, Sendable {
        public var title = ""
        public var description = ""
        public var keywords: [String] = []

        public init() {}

        /// - Parameter keywords: separated by commas.
        public init(title: String, description: String, keywords: String) {
            (self.title, self.description) = (title, description)
            self.keywords = keywords.split(separator: ",").map { word in
                String(word.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
            }.filter { !$0.isEmpty }
        }
    }

    public let variants: [Variant]
    public let information: Information

    /// - Parameter variants: the first is the one that players begin with.
    public init(_ variants: [Variant], _ information: Information = Information()) {
        (self.variants, self.information) = (variants, information)
    }

    public var text: String {
        var text = PlaylistText(version: 9)
        let items = [
            ("title", information.title), ("description", information.description),
            ("keywords", information.keywords.joined(separator: ",")),
        ]
        for (name, value) in items where !value.isEmpty {
            text.tag("EXT-X-SESSION-DATA", [("DATA-ID", .quoted("apus.\(name)")), ("VALUE", .quoted(value))])
        }
        for variant in variants {
            text.tag("EXT-X-STREAM-INF", attributes(of: variant))
            text.line(variant.uri)
        }
        return text.text
    }

    private func attributes(of variant: Variant) -> [(name: String, value: PlaylistText.Value)] {
        var attributes: [(name: String, value: PlaylistText.Value)] = [
            ("BANDWIDTH", "\(variant.peakBitrate)"), ("AVERAGE-BANDWIDTH", "\(variant.averageBitrate)"),
            ("CODECS", .quoted(variant.codecs.joined(separator: ","))),
        ]
        if let width = variant.width, let height = variant.height {
            attributes.append(("RESOLUTION", "\(width)x\(height)"))
            if let rate = variant.frameRate {
                attributes.append(("FRAME-RATE", .seconds(Int64((rate * 1e9).rounded()))))
            }
        }
        return attributes
    }
}
