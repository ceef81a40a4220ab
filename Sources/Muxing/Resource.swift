/// Bytes at a URL. Confined to one thread; reads block.
public protocol Resource: AnyObject {
    /// The URL after redirections. Other URLs in the resource are relative to it.
    var location: String { get }
    /// What the server states, such as `application/vnd.apple.mpegurl`; empty if it states nothing.
    var mediaType: String { get }
    /// `nil` if it can only be read from its start to its end, such as a live stream.
    var byteCount: Int64? { get }

    /// Reads at least one byte; returns the number of bytes, or 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ResourceFailure) -> Int

    /// The next read begins at this byte. Only called if there is a ``byteCount``.
    func seek(to position: Int64)
}

/// Opens what a ``Demuxer`` reads of a URL. Confined to the demuxer's thread.
public protocol ResourceOpener: AnyObject {
    /// Opens a resource. Blocks until its first bytes have come.
    ///
    /// - Parameters:
    ///   - range: the bytes of the resource.
    ///   - origin: where the URL comes from.
    func open(
        _ url: String, _ range: ResourceRange, from origin: ResourceOrigin
    ) throws(ResourceFailure) -> any Resource
}

/// Where the URL of a resource comes from.
public enum ResourceOrigin: Sendable {
    /// From the user: the input itself.
    case input
    /// From another resource, such as a playlist. Its author must not choose what this host connects to.
    case resource
}

/// A part of a resource, in bytes.
public struct ResourceRange: Hashable, Sendable {
    public var start: Int64
    /// `nil` for the end of the resource.
    public var end: Int64?

    public static let whole = Self(start: 0)

    public init(start: Int64, end: Int64? = nil) {
        (self.start, self.end) = (start, end)
    }
}

/// Why a resource cannot be read.
public struct ResourceFailure: Error, Hashable, Sendable {
    /// Without the name of the resource, and without a full stop.
    public let reason: String
    /// What the user can do, as an imperative; empty if there is nothing to do.
    public let remedy: String
    public let isInterruption: Bool

    public init(_ reason: String, remedy: String = "", isInterruption: Bool = false) {
        (self.reason, self.remedy, self.isInterruption) = (reason, remedy, isInterruption)
    }
}
