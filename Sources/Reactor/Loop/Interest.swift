import CLinux

/// What the owner of a loop calls a descriptor of its own; comes back with each of its events.
///
/// Events of one turn may still name a descriptor that was removed earlier in that turn: use each token once.
public struct Token: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    @inlinable
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The loop's own token, for its wake-up descriptor.
    static let wake = Token(rawValue: .max)
}

/// What to be told of a descriptor; told again in every turn for as long as it holds, unless `edge` is among it.
public struct Interest: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Bytes, connections or the end of the stream can be read.
    public static let read = Interest(rawValue: clinux_readable)
    /// Bytes can be written, or a connection attempt has ended.
    public static let write = Interest(rawValue: clinux_writable)
    /// Told once per change, not in every turn.
    public static let edge = Interest(rawValue: clinux_edge)
}

/// What holds of a descriptor.
public struct Readiness: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A read will not block: bytes, a connection, or the end.
    public static let readable = Readiness(rawValue: 0x001)
    /// A write will not block.
    public static let writable = Readiness(rawValue: 0x004)
    /// The socket failed; the next call on it says why. Told whether or not it was asked for.
    public static let error = Readiness(rawValue: 0x008)
    /// The peer ended its direction or both; bytes may remain to be read.
    public static let hangup = Readiness(rawValue: 0x010)
}
