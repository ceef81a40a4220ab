/// Names a viewer of any protocol for operators: `v1795338488`. It gives no access to the viewer's session.
public struct ViewerID: Hashable, Sendable, CustomStringConvertible {
    public let number: UInt64

    fileprivate init(number: UInt64) {
        self.number = number
    }

    /// `nil` for a text that names no viewer.
    public init?(_ text: String) {
        guard text.first == "v", let number = UInt64(text.dropFirst()), text == "v\(number)" else { return nil }
        self.number = number
    }

    public var description: String { "v\(number)" }
}

/// Makes the names of viewers. None is used twice, also by later runs of the server: they begin at the time of day in seconds, and no
/// server gets a new viewer each second for all of its life.
public struct ViewerIDs: Sendable {
    private var last: UInt64

    /// - Parameter unixNanoseconds: the time of the start, in nanoseconds since 1970.
    public init(after unixNanoseconds: Int64) {
        last = UInt64(max(0, unixNanoseconds) / 1_000_000_000)
    }

    public mutating func next() -> ViewerID {
        last += 1
        return ViewerID(number: last)
    }
}
