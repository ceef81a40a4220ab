/// What is wrong with a file (ISO/IEC 14496-12).
enum MP4Failure: Error, Hashable, CustomStringConvertible {
    /// A box is shorter than its fields, or too long to be kept.
    case box(String)
    /// A fragment came before its track was described.
    case unknownTrack(UInt32)

    var description: String {
        switch self {
        case .box(let type): "a box '\(type)' of an impossible length"
        case .unknownTrack(let number): "a fragment of track \(number), which is not described"
        }
    }
}
