import Capture
import Logging

/// The microphone that goes with a path's camera, with the path's settings; `nil` where it is to have none.
///
/// It opens nothing before it runs.
func makeMicrophone(_ path: Configuration.Path, log: Logger) -> Microphone? {
    guard path.audio.device != "none", let settings = EncodingSettings(path).audio else { return nil }
    return Microphone(device: path.audio.device, settings: settings, log: log)
}
