/// One message of a connection, put together from its chunks (Adobe's RTMP specification, section 6.1).
public struct Message: Hashable, Sendable {
    public let type: MessageType
    /// 0 for messages about the connection.
    public let streamID: UInt32
    /// Milliseconds, modulo 2³². For media it is the decode time.
    public let timestamp: UInt32
    public let payload: [UInt8]

    public init(_ type: MessageType, streamID: UInt32 = 0, timestamp: UInt32 = 0, payload: [UInt8]) {
        self.type = type
        self.streamID = streamID
        self.timestamp = timestamp
        self.payload = payload
    }
}

/// The type of a message (sections 5.4, 6.2 and 7.1).
public struct MessageType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let setChunkSize = Self(rawValue: 1)
    public static let abort = Self(rawValue: 2)
    public static let acknowledgement = Self(rawValue: 3)
    public static let userControl = Self(rawValue: 4)
    public static let windowAcknowledgementSize = Self(rawValue: 5)
    public static let setPeerBandwidth = Self(rawValue: 6)
    public static let audio = Self(rawValue: 8)
    public static let video = Self(rawValue: 9)
    /// Data and commands in the envelope of AMF3. Their values are AMF0, because the server never agrees to AMF3.
    public static let dataAMF3 = Self(rawValue: 15)
    public static let commandAMF3 = Self(rawValue: 17)
    public static let dataAMF0 = Self(rawValue: 18)
    public static let commandAMF0 = Self(rawValue: 20)
    /// Several media messages in one.
    public static let aggregate = Self(rawValue: 22)

    /// The longest payload: the length of a message has 24 bits (section 5.3.1.2).
    public static let maximumByteCount = 0xFF_FFFF

    /// Whether it carries media or its description.
    public var isMedia: Bool {
        [.audio, .video, .dataAMF0, .dataAMF3, .aggregate].contains(self)
    }

    /// Whether its values are in the envelope of AMF3, which begins with a byte of its own.
    var hasEnvelope: Bool { self == .dataAMF3 || self == .commandAMF3 }
}
