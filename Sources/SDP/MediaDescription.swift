/// One `m=` line and the lines after it (RFC 8866, section 5.14).
public struct MediaDescription: Hashable, Sendable {
    /// `video`, `audio`, `application` …
    public var kind: String
    /// The first port; 0 with RTSP, because SETUP negotiates the port.
    public var port: UInt16
    /// The number of ports, two apart, of hierarchically encoded media; nearly always 1.
    public var portCount: Int
    /// `RTP/AVP`, `RTP/AVPF` …
    public var transport: String
    /// For RTP, the payload types in order of preference; never empty.
    public var formats: [String]
    public var information: String?
    /// The destination of this medium; `nil` for that of the session.
    public var connection: SessionDescription.Connection?
    public var bandwidths: [Bandwidth]
    public var attributes: [Attribute]

    public init(
        kind: String, port: UInt16, portCount: Int = 1, transport: String, formats: [String],
        information: String? = nil, connection: SessionDescription.Connection? = nil, bandwidths: [Bandwidth] = [],
        attributes: [Attribute] = []
    ) {
        precondition(!formats.isEmpty && portCount > 0, "a media description has a format and a port")
        self.kind = kind
        self.port = port
        self.portCount = portCount
        self.transport = transport
        self.formats = formats
        self.information = information
        self.connection = connection
        self.bandwidths = bandwidths
        self.attributes = attributes
    }

    /// The URL of this medium for SETUP, such as `track1` or an absolute URL (RFC 2326, C.1.1).
    public var control: String? { attributes.value(of: "control") }
}

extension MediaDescription {
    /// Parses `<media> <port>[/<number of ports>] <proto> <fmt> …`; `nil` if malformed.
    init?(_ value: Substring) {
        let fields = value.fields
        guard fields.count >= 4 else { return nil }
        let ports = fields[1].pieces(separatedBy: "/").map { UInt64(decimal: String($0)) }
        guard let first = ports.first ?? nil, let port = UInt16(exactly: first), ports.count <= 2,
            let count = ports.count == 2 ? ports[1] : 1, (1...32_768).contains(count)
        else { return nil }
        self.init(
            kind: String(fields[0]), port: port, portCount: Int(count), transport: String(fields[2]),
            formats: fields[3...].map(String.init))
    }
}
