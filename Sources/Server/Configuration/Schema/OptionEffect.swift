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
}

/// An option in which two configurations differ.
struct OptionChange: Hashable {
    let option: OptionPath
    let effect: OptionEffect
}
