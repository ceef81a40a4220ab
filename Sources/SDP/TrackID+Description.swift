import Media

/// The numbers and names that session descriptions of Apus give to the tracks of a stream.
extension TrackID {
    /// The RTP payload type: 96 for the first track, 97 for the second … (dynamic payload types: RFC 3551, section 6).
    public var payloadType: UInt8 { Self.firstPayloadType &+ UInt8(truncatingIfNeeded: index) }

    /// The payload type of the track's retransmissions (RFC 4588): 112 for the first track, 113 for the second …
    public var retransmissionPayloadType: UInt8 {
        Self.firstRetransmissionPayloadType &+ UInt8(truncatingIfNeeded: index)
    }

    /// The tracks that a description with retransmissions has at most, because their payload types end where those of the
    /// retransmissions begin.
    static let maximumRetransmittedCount = Int(firstRetransmissionPayloadType - firstPayloadType)

    /// The tracks that a description has at most, because payload types end at 127.
    static let maximumDescribedCount = 32

    private static let firstPayloadType: UInt8 = 96
    private static let firstRetransmissionPayloadType: UInt8 = 112

    /// The last part of the track's URL: `track1` for the first track, `track2` for the second …
    public var controlName: String { Self.controlPrefix + "\(index + 1)" }

    /// Whether `name` has the form of a control name.
    ///
    /// - Parameter maximumDigitCount: three digits are enough for every track.
    public static func isControlName(_ name: Substring, maximumDigitCount: Int = 3) -> Bool {
        guard name.hasPrefix(controlPrefix) else { return false }
        let digits = name.utf8.dropFirst(controlPrefix.utf8.count)
        return (1...maximumDigitCount).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static let controlPrefix = "track"
}
