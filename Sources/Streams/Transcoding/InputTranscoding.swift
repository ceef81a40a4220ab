import Media

/// Encodes what sources send in a format that viewers cannot receive. A path has one for all of its publishers, or for all sessions in
/// which it is pulled. Thread-safe.
public protocol InputTranscoding: Sendable {
    /// Starts to transcode what one sender sends; `nil` if that is impossible, which the log shows.
    ///
    /// - Parameters:
    ///   - formats: of the tracks that are encoded again.
    ///   - stream: gets all tracks of the sender.
    func begin(_ formats: [TrackID: TranscodedFormat], into stream: Stream) -> (any InputTranscoder)?
}

/// Takes what one sender sends, encodes some tracks again, and publishes all tracks, each in order. Thread-safe; it never blocks.
public protocol InputTranscoder: Sendable {
    /// These tracks follow as they are. The others are announced with them.
    func announce(_ tracks: [Track])

    /// A unit of an announced track, or of one that is encoded again.
    func publish(_ unit: AccessUnit)

    /// Ends it: the stream gets nothing more once this has returned.
    func close()
}
