/// What a viewer needs before it can use the outputs of a packager: an init segment, sequence headers, the header of a file.
/// It is immutable, and all outputs of one generation share it.
public protocol PackagedHead: Sendable {
    /// Names this head among those of its packager.
    var generation: Generation { get }
}

/// The number of a head. The next generation begins if viewers need another head, because a size, a codec or a parameter set has
/// changed. An announcement that leaves the head as it was, such as that of a restarted source, begins none.
public struct Generation: Hashable, BitwiseCopyable, Sendable {
    /// Counts from 0.
    public let number: UInt64

    /// The generation of a packager's first head.
    public static let first = Self(number: 0)

    /// The generation of the head after this one.
    public var next: Self { Self(number: number + 1) }

    private init(number: UInt64) {
        self.number = number
    }
}

/// The head of outputs that need none.
extension Never: PackagedHead {
    public var generation: Generation { switch self {} }
}
