import RTP
import SDP

/// The `KeyMgmt` header of a SETUP (RFC 4567, section 3.2), and SDP's attribute `key-mgmt` (section 3.1).
enum KeyManagementHeader {
    /// The decoded first MIKEY message in a header's value; `nil` if there is none.
    ///
    ///     prot=mikey; uri="rtsps://host/path/track1"; data="AQAF…"
    static func mikeyData(in value: String) -> [UInt8]? {
        for specification in value.pieces(separatedBy: ",") {
            let fields = specification.pieces(separatedBy: ";").compactMap { $0.halves(around: "=") }
            guard
                fields.contains(where: { $0.0.equalsIgnoringCase("prot") && $0.1.unquoted.equalsIgnoringCase("mikey") }
                ),
                let data = fields.first(where: { $0.0.equalsIgnoringCase("data") })?.1.unquoted,
                data.utf8.count <= 2 * MIKEYMessage.maximumByteCount
            else { continue }
            return Base64.decode(data)
        }
        return nil
    }

    /// The key with which the client encrypts its packets; `nil` if it sends none and uses the server's key.
    ///
    /// - Throws: 463 for an unusable key.
    static func clientKey(in headers: Headers) throws(Refusal) -> MasterKey? {
        guard let value = headers[.keyManagement] else { return nil }
        guard let data = mikeyData(in: value) else {
            throw Refusal(.keyManagementFailure, reason: "Key Management Failure: no MIKEY message in KeyMgmt")
        }
        do throws(MIKEYFailure) {
            return try MIKEYMessage(parsing: data).masterKey()
        } catch {
            throw Refusal(.keyManagementFailure, reason: "Key Management Failure: \(error)")
        }
    }
}

extension MIKEYMessage {
    /// The value of the SDP attribute `key-mgmt`.
    public var attributeValue: String { "mikey \(Base64.encode(bytes))" }
}

extension HeaderName {
    static let keyManagement: HeaderName = "KeyMgmt"
}
