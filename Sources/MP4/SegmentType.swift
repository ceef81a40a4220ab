import Wire

/// `styp`, with which a file with fragments begins that is no whole file: its name among the units of CMAF (ISO/IEC 14496-12, 8.16.2;
/// ISO/IEC 23000-19, 7.2).
///
/// There is no `sidx`: it indexes fragments of a file, and playlists do that for live segments.
public enum SegmentType: Sendable {
    /// A segment of HLS: fragments from a keyframe on.
    case segment
    /// A part of a segment.
    case chunk

    public var bytes: [UInt8] {
        let brand: BoxType = self == .segment ? "cmfs" : "cmfl"
        var writer = ByteWriter(capacity: 24)
        writer.box("styp") { writer in
            // The major brand with its version, and the compatible ones.
            writer.uint32(brand.rawValue)
            writer.uint32(0)
            writer.uint32(BoxType("iso6").rawValue)
            writer.uint32(brand.rawValue)
        }
        return writer.bytes
    }
}
