import Capture
import Delivery
import Streams

/// The source of a path, which can use new settings of the path while it runs.
protocol PathSource: SupervisedSource {
    /// Uses these settings as soon as possible; viewers stay connected. May be called from any thread.
    ///
    /// Options that need another source are not passed here: `PathDifference` decides that.
    func change(to path: Configuration.Path) -> ReconfigurationResult

    /// What it receives over the network now; `nil` if nothing. Thread-safe.
    var input: NetworkInput? { get }

    /// The controls of its camera; `nil` without an open camera. Thread-safe.
    var controls: [AdjustableControl]? { get }
}

extension PathSource {
    var input: NetworkInput? { nil }
    var controls: [AdjustableControl]? { nil }
}

/// What a source receives over the network, and from where.
struct NetworkInput: Hashable, Sendable {
    /// The URL of a pulled stream without user and password, or the address of a publisher.
    var peer: String
    /// `TCP`, `UDP`, `multicast` or `TLS`.
    var transport: String
    /// The publisher's user and program; `nil` if they are unknown.
    var user: String?
    var client: String?
    /// `nil` in the first second.
    var reception: ReceptionStatus?
}

/// What a running source has done with new settings of its path.
enum ReconfigurationResult: Hashable, Sendable {
    /// It uses them.
    case applied
    /// It does not encode, so they change nothing.
    case noEffect
    /// It is not running; it uses them when it starts again.
    case appliedAtNextStart
}

extension PathSource where Self: ReconfigurableSource {
    func change(to path: Configuration.Path) -> ReconfigurationResult {
        change(to: EncodingSettings(path))
        // A source without a status does not encode.
        return status == nil ? .noEffect : .applied
    }
}

extension ReceptionTranscoding {
    /// Uses the path's settings for received video that is encoded here.
    func change(to path: Configuration.Path) -> ReconfigurationResult {
        change(to: EncodingSettings(path))
        return status == nil ? .noEffect : .applied
    }
}

extension TestCard: PathSource {}
extension FileSource: PathSource {}
extension Substream: PathSource {}

extension CameraSource: PathSource {
    /// A camera that encodes H.264 itself can also change its controls, size and frame rate.
    func change(to path: Configuration.Path) -> ReconfigurationResult {
        change(to: CameraSettings(path))
        return .applied
    }
}

extension PipeSource: PathSource {}
