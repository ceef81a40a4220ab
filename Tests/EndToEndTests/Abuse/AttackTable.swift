/// All attacks as docs/abuse.md shows them.
enum AttackTable {
    static var text: String {
        Attack.groups.map { group in
            let rows = group.attacks.map { attack in
                "| \(attack.name)\(note(attack.scope)) | `\(attack.obstacle.file)`: `\(code(attack.obstacle.text))` | \(attack.answer) |"
            }
            return "### \(group.title)\n\n| attack | guard | what is seen |\n|---|---|---|\n"
                + rows.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func note(_ scope: Attack.Scope) -> String {
        switch scope {
        case .all: ""
        case .users: " (users)"
        case .tls: " (TLS)"
        case .clear: " (in the clear)"
        case .usersInTheClear: " (users, in the clear)"
        case .callback: " (callback)"
        }
    }

    /// A bar would end the cell.
    private static func code(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
