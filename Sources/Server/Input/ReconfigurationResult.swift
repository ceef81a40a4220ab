/// What a running source has done with new settings of its path.
enum ReconfigurationResult: Hashable, Sendable {
    /// It uses them.
    case applied
    /// It does not encode, so they change nothing.
    case noEffect
    /// It is not running; it uses them when it starts again.
    case appliedAtNextStart
}
