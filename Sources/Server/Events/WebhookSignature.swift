import FoundationEssentials
import RTSP

/// Signs the requests of a webhook as Standard Webhooks specifies, so that receivers can use the libraries for it.
///
/// The signed text is `ID.TIMESTAMP.BODY`; with the timestamp, a receiver recognises a request that an eavesdropper sends again.
struct WebhookSignature: Sendable {
    private let key: [UInt8]

    /// A shorter secret could be guessed.
    private static let minimumSecretByteCount = 16

    /// `nil` if the secret is too short, or begins with `whsec_` and is not Base64 behind that.
    init?(secret: String) {
        guard secret.utf8.count >= Self.minimumSecretByteCount else { return nil }
        let prefix = "whsec_"
        guard secret.hasPrefix(prefix) else {
            key = Array(secret.utf8)
            return
        }
        guard let data = Data(base64Encoded: String(secret.dropFirst(prefix.count))), !data.isEmpty else { return nil }
        key = Array(data)
    }

    /// The value of the header `webhook-signature`.
    func value(id: String, unixSeconds: Int64, body: [UInt8], _ hashes: HashFunctions) -> String {
        let code = hashes.authenticationCode(of: Array("\(id).\(unixSeconds).".utf8) + body, key: key)
        return "v1,\(Data(code).base64EncodedString())"
    }
}
