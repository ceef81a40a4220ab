import Logging
import RTSP

/// What all loops of the server share. Thread-safe.
struct ServerContext: Sendable {
    let options: ServerOptions
    let directory: PathDirectory
    let registry: Registry
    let admission: Admission
    let identity: CurrentIdentity
    /// The canonical name in all our reports: random, as RFC 7022 recommends, and the same for all tracks.
    let canonicalName: String
    let logger: Logger
}
