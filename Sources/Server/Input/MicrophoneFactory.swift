import Capture
import Logging

/// The microphone of a path with a camera, with the path's settings; `nil` if the path has none.
///
/// It opens no device before it runs.
func makeMicrophone(_ path: Configuration.Path, log: Logger) -> Microphone? {
    guard path.audio.device != "none", let settings = EncodingSettings(path).audio else { return nil }
    return Microphone(device: path.audio.device, settings: settings, log: log)
}
