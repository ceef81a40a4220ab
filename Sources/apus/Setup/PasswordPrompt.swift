import ArgumentParser
import Glibc

/// How often the user must type a password.
enum PasswordPrompt {
    case once
    /// For a new password, because a typing error would not be noticed.
    case twice
}

/// Reads a password from the terminal, without showing it, or else from a line of standard input.
func readPassword(_ prompt: PasswordPrompt) throws -> String {
    guard isatty(STDIN_FILENO) == 1 else { return readLine() ?? "" }
    guard let first = getpass("Password: ").map({ String(cString: $0) }) else { throw noTerminal }
    guard prompt == .twice else { return first }
    guard let second = getpass("Repeat the password: ").map({ String(cString: $0) }) else { throw noTerminal }
    guard first == second else { throw ValidationError("the passwords differ") }
    return first
}

private let noTerminal = ValidationError("there is no terminal to read the password from")
