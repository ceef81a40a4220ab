/// What clients need beyond the specification, keyed by what they say of themselves. The one place where clients differ.
public struct ClientDialect: Hashable, Sendable {
    /// Least length of a prelude's window, in milliseconds.
    ///
    /// LibVLC (VLC elsewhere than on Debian and Ubuntu, through live555) resets its clock when pictures come faster than
    /// its cache expects: with 500 ms none of four joins was damaged.
    public let minimumPreludeMilliseconds: Int64

    /// - Parameter userAgent: the `User-Agent` of the client's requests, if it sends one.
    public init(userAgent: String?) {
        minimumPreludeMilliseconds = userAgent?.hasPrefix("LibVLC/") == true ? 500 : 0
    }
}
