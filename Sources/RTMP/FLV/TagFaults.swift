import Media

/// What is wrong with the audio and video messages of a publisher.
public struct TagFaults: Hashable, Sendable {
    /// Messages, tracks in messages, configurations and frames that are malformed.
    public private(set) var malformedCount = 0
    /// Frames that came before the decoder configuration of their track.
    public private(set) var unconfiguredCount = 0
    /// The kinds of which frames have come, and no decoder configuration.
    private var unconfiguredKinds: Set<Codec.Kind> = []

    /// What has come and could not be read.
    public var count: Int { malformedCount + unconfiguredCount }

    /// The reasons for which media cannot be read now, for people; empty if nothing is wrong.
    public var descriptions: [String] {
        let kinds = [(Codec.Kind.video, "video"), (.audio, "audio")].filter { unconfiguredKinds.contains($0.0) }
        return kinds.map { "the \($0.1) has no sequence header" }
            + (malformedCount == 0 ? [] : ["malformed FLV messages: \(malformedCount)"])
    }

    mutating func foundMalformed(_ count: Int = 1) { malformedCount += count }

    /// A frame has come before the configuration of its track.
    ///
    /// - Parameter isFirst: whether no track of its kind has a configuration.
    mutating func foundUnconfigured(_ kind: Codec.Kind, isFirst: Bool) {
        unconfiguredCount += 1
        if isFirst { unconfiguredKinds.insert(kind) }
    }

    /// A track of this kind has a decoder configuration.
    mutating func configured(_ kind: Codec.Kind) { unconfiguredKinds.remove(kind) }
}
