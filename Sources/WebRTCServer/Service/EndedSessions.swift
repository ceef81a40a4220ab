/// Why the last sessions of a loop have ended, for clients that ask for them later.
struct EndedSessions {
    /// As many as a page full of players has.
    private static let capacity = 64

    private var reasons: [(name: SessionName, reason: String)] = []

    mutating func note(_ name: SessionName, because reason: String) {
        if reasons.count == Self.capacity { reasons.removeFirst() }
        reasons.append((name, reason))
    }

    func reason(of name: SessionName) -> String? { reasons.last { $0.name == name }?.reason }
}
