/// A session as SDP describes it (RFC 8866): what may be watched, how it is coded, where it is sent.
///
/// Lines that nothing in Apus asks for (`u= e= p= r= z= k=`) are read and dropped.
public struct SessionDescription: Hashable, Sendable {
    /// Who made the session, and which edition of its description this is: the `o=` line.
    public var origin: Origin
    /// The title, the `s=` line; `-` where there is none.
    public var name: String
    /// A sentence about the session, the `i=` line.
    public var information: String?
    /// Where media is sent unless a media description says otherwise, the `c=` line.
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
    /// When a session is on air, in seconds since 1900 (RFC 8866, section 5.9).
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
    /// Kilobits a second for `AS` and `CT`, bits a second for `TIAS`, `RS` and `RR`.
    public var value: UInt64

    public init(kind: String, value: UInt64) {
        self.kind = kind
        self.value = value
    }
}
