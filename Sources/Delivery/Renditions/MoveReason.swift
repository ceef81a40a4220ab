import RateControl

/// Why a viewer gets another rendition.
public enum MoveReason: CustomStringConvertible, Sendable {
    /// What its path carries.
    case path(PathEstimate)
    /// An operator has chosen it.
    case chosen

    public var description: String {
        switch self {
        case .path(let estimate): "\(estimate)"
        case .chosen: "chosen by an operator"
        }
    }
}
