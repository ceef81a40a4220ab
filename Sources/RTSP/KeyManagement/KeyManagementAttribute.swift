import RTP
import SDP

/// SDP's attribute `key-mgmt` (RFC 4567, section 3.1).
enum KeyManagementAttribute {
    /// The decoded MIKEY message in an attribute's value; `nil` if it is for another protocol or not Base64.
    ///
    ///     mikey AQAF…
    static func mikeyData(in value: String) -> [UInt8]? {
        guard let (name, data) = value.halves(around: " "), name.equalsIgnoringCase("mikey"),
            data.utf8.count <= 2 * MIKEYMessage.maximumByteCount
        else { return nil }
        return Base64.decode(data)
    }
}

extension MIKEYMessage {
    /// The value of the SDP attribute `key-mgmt`.
    public var attributeValue: String { "mikey \(Base64.encode(bytes))" }
}

extension AnnounceRequest {
    /// The key with which the client encrypts the packets of a medium: that of the medium, or else that of the whole session;
    /// `nil` if the description has none.
    ///
    /// - Throws: 463 if it is unusable.
    func senderKey(ofMedium index: Int) throws(Refusal) -> SenderKey? {
        for attributes in [description.media[index].attributes, description.attributes] {
            let values = attributes.values(of: "key-mgmt").filter { $0.hasPrefixIgnoringCase("mikey") }
            guard let value = values.first else { continue }
            guard let data = KeyManagementAttribute.mikeyData(in: value) else {
                throw .keyManagementFailure("no MIKEY message in a=key-mgmt")
            }
            return try SenderKey(mikey: data)
        }
        return nil
    }
}

extension SessionDescription {
    /// The indices of the media that use SRTP.
    var secureMedia: [Int] {
        media.indices.filter { MediaProfile(rawValue: media[$0].transport.uppercased())?.isSecure == true }
    }
}
