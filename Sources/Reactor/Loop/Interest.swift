import CLinux

/// An identifier that the owner of a loop gives to a descriptor; each event of the descriptor carries it.
///
/// Events of one turn may still refer to a descriptor that was removed earlier in that turn. Therefore use each token once.
public struct Token: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    @inlinable
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The token of the loop's own wake-up descriptor.
    static let wake = Token(rawValue: .max)
}

/// The events to be reported for a descriptor. A ready descriptor is reported in every turn, unless `edge` is set.
public struct Interest: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Reports that bytes, connections or the end of the stream can be read.
    public static let read = Interest(rawValue: clinux_readable)
    /// Reports that bytes can be written or that a connection attempt has ended.
    public static let write = Interest(rawValue: clinux_writable)
    /// Reports each change once instead of in every turn (edge-triggered).
    public static let edge = Interest(rawValue: clinux_edge)
}

/// The state of a descriptor.
public struct Readiness: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A read will not block: bytes, a connection or the end of the stream is available.
    public static let readable = Readiness(rawValue: 0x001)
    /// A write will not block.
    public static let writable = Readiness(rawValue: 0x004)
    /// The socket failed; the next call on it returns the reason. Always reported.
    public static let error = Readiness(rawValue: 0x008)
    /// The peer closed one or both directions; bytes may remain to be read.
    public static let hangup = Readiness(rawValue: 0x010)
}
