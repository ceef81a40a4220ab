import Serving

/// What the HTTP server shares with the servers of other protocols. Thread-safe; nothing blocks.
public protocol HTTPSharedServices: SharedServices {
    /// The stream that is watched at a path; `nil` if there is none.
    func livePath(at path: String) -> LivePath?
    /// The substreams of the stream at a path, in the order of their paths.
    func substreams(of path: String) -> [LivePath]
}
