/// Numbers the fragments of one track as RTP numbers packets, so that frames which the server has left out show as lost.
///
/// The numbers in `mfhd` do not: a server counts the fragments that it has sent.
struct FragmentNumbers {
    private var last: UInt16 = 0
    /// When the next fragment is to be decoded, and how long the last one lasts, in ticks.
    private var expected: (decodeTime: UInt64, duration: UInt64)?

    /// Returns the number of the next fragment.
    ///
    /// A server leaves frames out up to a keyframe. So a keyframe follows a gap if its decode time is more than half a duration of the last
    /// fragment behind that fragment's end. The number of missing frames is the length of the gap, divided by that duration. If a frame
    /// that is not a keyframe comes late, the source has skipped frames, and nothing is counted.
    mutating func number(of fragment: FragmentReader.Fragment) -> UInt16 {
        var missing: UInt64 = 0
        if let expected, fragment.isKeyframe, expected.duration > 0, fragment.decodeTime > expected.decodeTime {
            missing = (fragment.decodeTime - expected.decodeTime + expected.duration / 2) / expected.duration
        }
        expected = (fragment.decodeTime &+ fragment.duration, fragment.duration)
        last &+= 1 &+ UInt16(truncatingIfNeeded: min(missing, 1_000))
        return last
    }
}
