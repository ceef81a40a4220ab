/// The table of all attacks in docs/abuse.md.
enum AttackTable {
    static var text: String {
        Attack.groups.map { group in
            let rows = group.attacks.map { attack in
                "| \(attack.name)\(note(attack.scope)) | `\(attack.protection.file)`: `\(code(attack.protection.text))` | \(attack.effect) |"
            }
            return "### \(group.title)\n\n| attack | guard | effect |\n|---|---|---|\n"
                + rows.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func note(_ scope: Attack.Scope) -> String {
        switch scope {
        case .all: ""
        case .users: " (users)"
        case .tls: " (TLS)"
        case .clear: " (without TLS)"
        case .usersInTheClear: " (users, without TLS)"
        case .usersInTLS: " (users, TLS)"
        case .callback: " (callback)"
        }
    }

    /// Escapes bars, which would end the cell.
    private static func code(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
