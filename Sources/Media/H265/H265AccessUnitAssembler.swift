extension H265 {
    /// Assembles NAL units into access units of one picture each (ITU-T H.265, 7.4.2.4.4).
    ///
    /// `push` returns the previous access unit when the next one begins.
    public struct AccessUnitAssembler: Sendable {
        private var units: [[UInt8]] = []
        /// Whether the current access unit has picture data.
        public private(set) var hasPicture = false

        public init() {}

        /// Adds the next NAL unit (those shorter than their header are ignored); returns the NAL units of the previous access unit if
        /// this one begins another.
        public mutating func push(_ unit: [UInt8]) -> [[UInt8]]? {
            guard let header = NALUnitHeader(of: unit) else { return nil }
            let finished = hasPicture && Self.begins(header, unit) ? flush() : nil
            units.append(unit)
            hasPicture = hasPicture || header.type.isVideoCodingLayer
            return finished
        }

        /// Takes the NAL units at the end of the input or before a gap. The next NAL unit begins another access unit.
        public mutating func flush() -> [[UInt8]]? {
            defer { (units, hasPicture) = ([], false) }
            return units.isEmpty ? nil : units
        }

        /// Whether a NAL unit with this header, after a picture, begins the next access unit.
        private static func begins(_ header: NALUnitHeader, _ unit: [UInt8]) -> Bool {
            // Those of further layers belong to the picture of the base layer.
            guard header.layer == 0 else { return false }
            // first_slice_segment_in_pic_flag is the first bit of a slice segment (7.3.6.1).
            if header.type.isVideoCodingLayer { return unit.count > 2 && unit[2] & 0x80 != 0 }
            switch header.type.rawValue {
            // Parameter sets, delimiter, SEI before a picture, and reserved and unspecified types.
            case 32...35, 39, 41...44, 48...55: return true
            default: return false
            }
        }
    }
}
