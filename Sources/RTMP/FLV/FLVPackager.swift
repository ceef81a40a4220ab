import MP4
import Media

/// Packages a stream for players of RTMP: the first video track and the first audio track that they can receive, one message per access
/// unit, with the metadata and the decoder configurations as head.
public struct FLVPackager: Packager {
    public typealias Output = FLVFrame
    /// The codecs beyond H.264 and AAC that the players receive.
    public typealias Options = EnhancedCodecs

    /// Whether some players can receive the track. Which they are, ``carries(_:to:)`` says.
    public static func carries(_ track: Track) -> Bool { carries(track, to: [.h265, .opus]) }

    /// Whether players with these codecs can receive the track.
    public static func carries(_ track: Track, to codecs: EnhancedCodecs) -> Bool {
        switch track.codec {
        case .h264, .aac: true
        case .h265: codecs.contains(.h265)
        case .opus: codecs.contains(.opus)
        case .pcma, .pcmu: false
        }
    }

    private let codecs: EnhancedCodecs
    private var tracks: [FLVTrack]
    private var parts = FrameParts()
    private var currentHead: FLVHead

    public init(tracks: [Track], options: EnhancedCodecs) {
        codecs = options
        self.tracks = Self.chosen(tracks, options)
        currentHead = FLVHead(self.tracks, generation: .first)
    }

    public var head: FLVHead? { currentHead }

    /// The next generation begins if a player needs another configuration.
    ///
    /// - Returns: true: players read a new configuration at any time.
    public mutating func announced(_ tracks: [Track], after former: [Track]) -> Bool {
        self.tracks = Self.chosen(tracks, codecs)
        parts = FrameParts()
        let head = FLVHead(self.tracks, generation: currentHead.generation.next)
        if !head.isCovered(by: currentHead) { currentHead = head }
        return true
    }

    public mutating func package(_ unit: AccessUnit) -> FLVFrame? {
        guard let track = tracks.first(where: { $0.track.id == unit.track }) else { return nil }
        if unit.part == .whole, parts.isEmpty { return frame(unit, track) }
        // Two are complete at once only if the first lacks its end.
        return parts.joined(unit).last.flatMap { frame($0, track) }
    }

    private func frame(_ unit: AccessUnit, _ track: FLVTrack) -> FLVFrame? {
        let messages = track.messages(of: unit)
        return messages.isEmpty ? nil : FLVFrame(unit, kind: track.track.kind, head: currentHead, messages)
    }

    private static func chosen(_ tracks: [Track], _ codecs: EnhancedCodecs) -> [FLVTrack] {
        [Codec.Kind.video, .audio].compactMap { kind in
            tracks.first { $0.kind == kind && carries($0, to: codecs) }.flatMap { FLVTrack($0, codecs) }
        }
    }
}
