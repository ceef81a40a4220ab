import ArgumentParser
import Glibc

/// How often a password is asked for.
enum PasswordPrompt {
    case once
    /// A new password, which nothing else would tell a typing error of.
    case twice
}

/// A password: from the terminal, which does not show it, or else a line of standard input.
func readPassword(_ prompt: PasswordPrompt) throws -> String {
    guard isatty(STDIN_FILENO) == 1 else { return readLine() ?? "" }
    guard let first = getpass("Password: ").map({ String(cString: $0) }) else { throw noTerminal }
    guard prompt == .twice else { return first }
    guard let second = getpass("Once more: ").map({ String(cString: $0) }) else { throw noTerminal }
    guard first == second else { throw ValidationError("they are not the same") }
    return first
}

private let noTerminal = ValidationError("there is no terminal to read it from")
