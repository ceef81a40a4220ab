/// A simple parser of H.264 byte streams (ITU-T H.264, annex B), with which tests compare.
public enum AnnexB {
    /// Returns the NAL units without start codes and without the zeros between units.
    public static func units(of stream: [UInt8]) -> [[UInt8]] {
        var starts: [Int] = []
        var index = 0
        while index + 2 < stream.count {
            if stream[index] == 0, stream[index + 1] == 0, stream[index + 2] == 1 {
                starts.append(index + 3)
                index += 3
            } else {
                index += 1
            }
        }
        let ends = starts.dropFirst().map { $0 - 3 } + [stream.count]
        return zip(starts, ends).compactMap { start, end in
            let unit = stream[start..<end]
            // trailing_zero_8bits: a NAL unit never ends in a zero (7.4.1).
            return unit.lastIndex { $0 != 0 }.map { Array(unit[...$0]) }
        }
    }

    /// Returns the first `pictureCount` frames of the stream.
    public static func beginning(of stream: [UInt8], pictureCount: Int) -> [UInt8] {
        var frameCount = 0
        let units = units(of: stream).prefix { unit in
            // The first slice of a frame begins with macroblock 0, coded as one bit (7.3.3).
            if [1, 5].contains(type(of: unit)), unit.count > 1, unit[1] & 0x80 != 0 { frameCount += 1 }
            return frameCount <= pictureCount
        }
        return units.flatMap { [0, 0, 0, 1] + $0 }
    }

    /// Returns the units without parameter sets (types 7 and 8), which a server may repeat.
    public static func withoutParameterSets(_ units: [[UInt8]]) -> [[UInt8]] {
        units.filter { type(of: $0) != 7 && type(of: $0) != 8 }
    }

    public static func type(of unit: [UInt8]) -> UInt8 { unit[0] & 0x1F }
}
