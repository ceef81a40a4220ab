/// A direction of the impaired network. The directions have separate settings and independent random numbers.
public enum Direction: UInt64, Sendable {
    /// From the client to the server.
    case up = 1
    /// From the server to the client.
    case down
}
