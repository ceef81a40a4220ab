/// What the exchanges of WHIP and WHEP need of an HTTP request.
public struct SignallingRequest: Hashable, Sendable {
    /// In upper case.
    public var method: String
    /// The value of `Content-Type`; `nil` without one.
    public var contentType: String?
    /// The value of `If-Match`; `nil` without one.
    public var ifMatch: String?
    public var body: [UInt8]

    public init(method: String, contentType: String? = nil, ifMatch: String? = nil, body: [UInt8] = []) {
        (self.method, self.contentType, self.ifMatch, self.body) = (method, contentType, ifMatch, body)
    }

    /// Whether the body has this type, whatever its parameters.
    func has(_ type: MediaType) -> Bool {
        guard let contentType, let name = contentType.utf8.split(separator: UInt8(ascii: ";")).first else {
            return false
        }
        return String(Substring(name)).fields.first?.lowercased() == type.rawValue
    }
}

/// The types of bodies in signalling.
public enum MediaType: String, Hashable, Sendable {
    case sessionDescription = "application/sdp"
    /// RFC 8840, section 9.
    case trickleFragment = "application/trickle-ice-sdpfrag"
}
