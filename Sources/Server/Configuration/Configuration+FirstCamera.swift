import Capture
import Streams

extension Configuration {
    /// If no path is configured, makes `cam` the first camera and the first microphone that work, or the test card if no camera
    /// works.
    ///
    /// - Parameters:
    ///   - search: finds that camera, and tells why others do not work.
    ///   - microphone: finds the microphone, as `audio.device` names it.
    /// - Returns: a line for users with the choice and its reason; `nil` if paths are configured.
    public mutating func chooseFirstCamera(
        among search: () -> (path: String?, failures: [SourceFailure]) = CameraDescription.firstUsable,
        microphone: () -> String? = { MicrophoneDescription.all().first { $0.problem == nil }?.name }
    ) -> String? {
        guard paths.isEmpty else { return nil }
        let (camera, failures) = search()
        if let camera {
            var path = Path()
            path.source = .path(camera)
            let sound = microphone()
            path.audio.device = sound ?? "none"
            paths["cam"] = path
            let heard = sound.map { "with the microphone \($0)" } ?? "without audio, because there is no microphone"
            return "No path is configured, so /cam is the first camera that works, \(camera), \(heard).\n"
        }
        let reasons = failures.map { $0.reason + ($0.remedy.isEmpty ? "" : "; \($0.remedy)") }
        let why = reasons.isEmpty ? "no camera is connected" : reasons.joined(separator: ". ")
        return "No path is configured and no camera works, so /cam is the test card. (\(why))\n"
    }
}
