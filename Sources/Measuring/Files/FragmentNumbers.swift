/// Numbers the fragments of one track as RTP numbers packets, so that frames which the server has left out show as lost.
///
/// The numbers in `mfhd` do not: a server counts the fragments that it has sent.
struct FragmentNumbers {
    private var last: UInt16 = 0
    /// When the next fragment is to be decoded, and how long the last one lasts, in ticks.
    private var expected: (decodeTime: UInt64, duration: UInt64)?

    /// Returns the number of the next fragment. A fragment that begins later than half a duration behind the end of the last one
    /// follows a gap; its length is counted in durations of the last one.
    mutating func number(of fragment: FragmentReader.Fragment) -> UInt16 {
        var missing: UInt64 = 0
        if let expected, expected.duration > 0, fragment.decodeTime > expected.decodeTime {
            missing = (fragment.decodeTime - expected.decodeTime + expected.duration / 2) / expected.duration
        }
        expected = (fragment.decodeTime &+ fragment.duration, fragment.duration)
        last &+= 1 &+ UInt16(truncatingIfNeeded: min(missing, 1_000))
        return last
    }
}
