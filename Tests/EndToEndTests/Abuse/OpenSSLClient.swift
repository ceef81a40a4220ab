import Foundation
import TestSupport

/// `openssl s_client`.
enum OpenSSLClient {
    /// Connects, requests a renegotiation and returns the client's messages: as soon as the server refuses, otherwise when the
    /// client ends or after `seconds`.
    static func renegotiation(_ options: String..., within seconds: Double = 5 * Sanitizer.patience) throws -> String {
        let folder = try TemporaryFolder()
        // The client ends at the end of its input, which therefore stays open.
        let path = folder.file("input")
        guard mkfifo(path, 0o600) == 0, let input = FileHandle(forUpdatingAtPath: path) else {
            throw Breach(description: "\(path): \(errno)")
        }
        try input.write(contentsOf: Data("R\n".utf8))
        let client = try Command(["openssl", "s_client"] + options, input: path)
        defer { client.signal(SIGKILL) }
        _ = soon(within: seconds) { client.errors.contains(refusal) || !client.isRunning }
        try input.close()
        return client.errors
    }

    /// What the client prints when it is connected and requests the renegotiation.
    static let request = "RENEGOTIATING"
    /// What the client prints after the alert `no_renegotiation` (RFC 5246, section 7.2.2).
    static let refusal = "no renegotiation"
}
