/// What becomes of settings that a path's source is told of while the server runs.
enum ReconfigurationResult: Hashable, Sendable {
    /// It goes on with them.
    case applied
    /// It passes on what comes: there is nothing that they could change.
    case noEffect
    /// It is not open: its next run begins with them.
    case appliedAtNextStart
}
