/// The address of one end of a connection.
public struct Endpoint: Hashable, Sendable {
    /// Numeric, without brackets and scope.
    public var address: String
    public var isLoopback: Bool

    public init(address: String, isLoopback: Bool) {
        self.address = address
        self.isLoopback = isLoopback
    }
}
