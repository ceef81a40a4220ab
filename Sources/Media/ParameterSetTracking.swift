/// The parameter sets of a video stream that repeats them, such as H.264's: the newest of each id.
public protocol ParameterSetTracking: Sendable {
    /// The format with all known sets; `nil` until there is one of each kind.
    var format: Track.Format? { get }

    /// Bytes of all known sets.
    var byteCount: Int { get }

    /// Inspects a NAL unit of any type. Returns true if it changed ``format``; viewers must then get the new sets.
    mutating func observe(_ unit: [UInt8]) -> Bool

    /// The NAL units of a keyframe with all known parameter sets added. Existing units are neither moved nor removed.
    func completed(_ units: [[UInt8]]) -> [[UInt8]]

    /// Whether a NAL unit with this first byte is a parameter set.
    static func isParameterSet(firstByte: UInt8) -> Bool
}

extension H264.ParameterSetTracker: ParameterSetTracking {
    public var format: Track.Format? { parameterSets.map { .h264($0) } }

    public static func isParameterSet(firstByte: UInt8) -> Bool {
        let type = H264.NALUnitHeader(byte: firstByte).type
        return type == .sequenceParameterSet || type == .pictureParameterSet
    }
}
