import Media

/// What a received program contains: the streams that are read, and the names of all others.
public struct Program: Hashable, Sendable {
    /// The first video and the first audio, in the order of the program map.
    public let streams: [Codec]
    /// Formats that are not received, such as `MPEG-2 video`, and further streams of a kind.
    public let others: [String]
}

/// An access unit of a received program.
public struct ProgramUnit: Hashable, Sendable {
    /// The index of its stream in ``Program/streams``.
    public let stream: Int
    /// In ticks of 90 kHz, counted on where the 33 bits of the stream wrap.
    public let presentationTime: MediaTime
    /// Equal to the presentation time unless frames are reordered.
    public let decodeTime: MediaTime
    /// The number of the clock's time base. Times of different time bases cannot be compared.
    public let timeBase: Int
    /// When its first bytes came.
    public let arrival: MonotonicTime
    /// Whether decoding can start here.
    public let isKeyframe: Bool
    /// Whether no byte was lost that may have belonged to it or to a frame that it needs.
    public let isComplete: Bool
    /// How to decode it, for audio, which says that in each frame; `nil` for video, whose parameter sets are among its NAL units.
    public let format: Track.Format?
    /// The NAL units or the block of audio, back to back, without start codes and headers.
    public let bytes: [UInt8]
    /// The range of each in `bytes`; never empty.
    public let units: [Range<Int>]
}
