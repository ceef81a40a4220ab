import Media

/// Encodes tracks of a stream again for viewers whose protocol cannot carry them. Thread-safe; it never blocks.
public protocol ViewerTranscoding: Sendable {
    /// The stream that such viewers get in place of `stream`. It has the same tracks, of which some are encoded again, and the same
    /// times. Its announcement exists once the encoders are open, and as long as it is in use (`StreamUse`).
    ///
    /// - Parameters:
    ///   - tracks: those that the viewers cannot receive.
    ///   - codec: the codec of audio that they can receive.
    /// - Returns: `nil` if these viewers do without the tracks.
    func companion(of stream: Stream, for tracks: [Track], as codec: Codec) -> Stream?
}

extension Stream {
    /// The stream from which viewers with this packager are served: this one if its packager carries all tracks, or else one in which
    /// the others are encoded again. Its announcement may be missing at first; call this again then.
    public func stream<P: Packager>(for packager: P.Type) -> Stream {
        stream(carrying: P.carries, as: .aac)
    }

    /// The stream from which viewers are served that can receive some tracks only, in the same way.
    ///
    /// - Parameters:
    ///   - isCarried: whether they can receive a track.
    ///   - codec: the codec as which other audio is encoded.
    public func stream(carrying isCarried: (Track) -> Bool, as codec: Codec) -> Stream {
        guard let tracks = announcement?.tracks, let transcoding = viewerTranscoding else { return self }
        let missing = tracks.filter { !isCarried($0) }
        return missing.isEmpty ? self : transcoding.companion(of: self, for: missing, as: codec) ?? self
    }
}
