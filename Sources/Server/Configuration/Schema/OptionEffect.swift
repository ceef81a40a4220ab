/// When a changed option takes effect in a running server, and on what. Each option of the schema has one.
enum OptionEffect: CaseIterable {
    /// The server applies it at once.
    case live
    /// At once, for new viewers of the path.
    case newViewers
    /// At once: the path's multicast groups change.
    case groups
    /// At once: the path's source continues with other settings.
    case encoding
    /// A new source replaces the path's present one, on the same stream.
    case source
    /// When the server is restarted.
    case serverRestart

    /// For users: the last line of the comment on each option in the reference file.
    var sentence: String {
        switch self {
        case .live: "Changes take effect at once."
        case .newViewers: "Changes take effect for new viewers."
        case .groups: "Changes take effect at once and disconnect the viewers of multicast groups."
        case .encoding: "Changes take effect in the running source."
        case .source: "Changes restart the source."
        case .serverRestart: "Changes take effect when the server is restarted."
        }
    }
}

/// An option in which two configurations differ.
struct OptionChange: Hashable {
    let option: OptionPath
    let effect: OptionEffect
}
