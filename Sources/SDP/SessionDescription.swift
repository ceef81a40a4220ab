/// A session description (SDP, RFC 8866): the media of a session, their encodings and destinations.
///
/// Lines that Apus does not need (`u= e= p= r= z= k=`) are ignored.
public struct SessionDescription: Hashable, Sendable {
    /// The originator of the session and the version of the description, the `o=` line.
    public var origin: Origin
    /// The title, the `s=` line; `-` if there is none.
    public var name: String
    /// Information about the session, the `i=` line.
    public var information: String?
    /// The destination of media without their own, the `c=` line.
    public var connection: Connection?
    public var bandwidths: [Bandwidth]
    /// The first `t=` line.
    public var timing: Timing
    public var attributes: [Attribute]
    public var media: [MediaDescription]

    public init(
        origin: Origin = .unknown, name: String = "-", information: String? = nil, connection: Connection? = nil,
        bandwidths: [Bandwidth] = [], timing: Timing = .permanent, attributes: [Attribute] = [],
        media: [MediaDescription] = []
    ) {
        self.origin = origin
        self.name = name
        self.information = information
        self.connection = connection
        self.bandwidths = bandwidths
        self.timing = timing
        self.attributes = attributes
        self.media = media
    }
}

extension SessionDescription {
    /// The time of a session, in seconds since 1900 (RFC 8866, section 5.9).
    public struct Timing: Hashable, Sendable {
        public var start: UInt64
        public var stop: UInt64

        public init(start: UInt64, stop: UInt64) {
            self.start = start
            self.stop = stop
        }

        /// No start and no end: `t=0 0`.
        public static let permanent = Timing(start: 0, stop: 0)
    }
}

/// A `b=` line (RFC 8866, section 5.8).
public struct Bandwidth: Hashable, Sendable {
    /// `AS`, `TIAS`, `RS` …
    public var kind: String
    /// In kbit/s for `AS` and `CT`, in bit/s for `TIAS`, `RS` and `RR`.
    public var value: UInt64

    public init(kind: String, value: UInt64) {
        self.kind = kind
        self.value = value
    }
}

extension Bandwidth {
    /// Parses `<bwtype>:<bandwidth>`; `nil` if malformed.
    init?(_ value: Substring) {
        guard let (kind, number) = value.divided(at: ":"), !kind.trimmed.isEmpty,
            let value = UInt64(decimal: String(number.trimmed))
        else { return nil }
        self.init(kind: String(kind.trimmed), value: value)
    }
}

extension SessionDescription.Timing {
    /// Parses `<start-time> <stop-time>`; `nil` if malformed.
    init?(_ value: Substring) {
        let fields = value.fields
        guard fields.count == 2, let start = UInt64(decimal: String(fields[0])),
            let stop = UInt64(decimal: String(fields[1]))
        else { return nil }
        self.init(start: start, stop: stop)
    }
}
