/// One `m=` line and the lines under it (RFC 8866, section 5.14).
public struct MediaDescription: Hashable, Sendable {
    /// `video`, `audio`, `application` …
    public var kind: String
    /// The first port; 0 in what RTSP describes, because SETUP negotiates it.
    public var port: UInt16
    /// How many ports, two apart, hierarchically coded media use; nearly always 1.
    public var portCount: Int
    /// `RTP/AVP`, `RTP/AVPF` …
    public var transport: String
    /// For RTP the payload types, preferred first; never empty.
    public var formats: [String]
    public var information: String?
    /// Where this medium is sent; the session's connection holds where there is none.
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

    /// What RTSP's SETUP names this medium by, `track1` or a whole URL (RFC 2326, C.1.1).
    public var control: String? { attributes.value(of: "control") }
}
