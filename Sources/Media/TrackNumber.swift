/// The number that a publisher gives to one of its tracks of a kind (Enhanced RTMP v2, trackId). The main track has the lowest number, 0.
public struct TrackNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt8

    public init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let main = Self(0)

    public var description: String { "\(rawValue)" }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
