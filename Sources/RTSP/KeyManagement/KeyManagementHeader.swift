import RTP
import SDP

/// The `KeyMgmt` header of SETUP and of the responses to a publisher (RFC 4567, section 3.2).
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

    /// The key with which the client encrypts its packets, and the rollover counters of its sources; `nil` if it sends none.
    ///
    /// - Throws: 463 for an unusable key.
    static func senderKey(in headers: Headers) throws(Refusal) -> SenderKey? {
        guard let value = headers[.keyManagement] else { return nil }
        guard let data = mikeyData(in: value) else { throw .keyManagementFailure("no MIKEY message in KeyMgmt") }
        return try SenderKey(mikey: data)
    }

    /// The value of a header with a message.
    ///
    /// - Parameter url: names what the message is for. It is left out if the value cannot contain it, also with commas and
    ///   semicolons, because GStreamer divides the value at each.
    static func value(_ message: MIKEYMessage, url: String) -> String {
        let isQuotable = url.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\",;".utf8.contains($0) }
        return "prot=mikey;uri=\"\(isQuotable ? url : "")\";data=\"\(Base64.encode(message.bytes))\""
    }
}

extension SenderKey {
    /// The key in a MIKEY message.
    ///
    /// - Throws: 463 if it is unusable.
    init(mikey data: [UInt8]) throws(Refusal) {
        do throws(MIKEYFailure) {
            self = try MIKEYMessage(parsing: data).senderKey()
        } catch {
            throw .keyManagementFailure("\(error)")
        }
    }
}

extension Refusal {
    static func keyManagementFailure(_ reason: String) -> Self {
        Refusal(.keyManagementFailure, reason: "Key Management Failure: \(reason)")
    }
}

extension HeaderName {
    static let keyManagement: HeaderName = "KeyMgmt"
}
