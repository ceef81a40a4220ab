import Capture
import Streams

/// The source of a path, which can use new settings of the path while it runs.
protocol PathSource: SupervisedSource {
    /// Uses these settings as soon as possible; viewers stay connected. May be called from any thread.
    ///
    /// Options that need another source are not passed here: `PathDifference` decides that.
    func change(to path: Configuration.Path) -> ReconfigurationResult
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

extension PipeSource: PathSource {
    /// H.264 from a pipe is sent as it is.
    func change(to path: Configuration.Path) -> ReconfigurationResult { .noEffect }
}
