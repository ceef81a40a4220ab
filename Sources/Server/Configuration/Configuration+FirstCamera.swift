import Capture
import Streams

extension Configuration {
    /// Where no path is configured, makes `cam` the first camera and the first microphone that work; without a camera, `cam`
    /// stays the test card.
    ///
    /// - Parameters:
    ///   - search: looks for that camera, and says what is wrong with others.
    ///   - microphone: looks for the microphone, as `audio.device` names it.
    /// - Returns: what was chosen and why, in a line for people; `nil` where paths are configured.
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
            let heard = sound.map { "with the microphone \($0)" } ?? "without sound, as there is no microphone"
            return "No path is configured: /cam is the first camera that works, \(camera), \(heard).\n"
        }
        let reasons = failures.map { $0.reason + ($0.remedy.isEmpty ? "" : "; \($0.remedy)") }
        let why = reasons.isEmpty ? "no camera is plugged in" : reasons.joined(separator: ". ")
        return "No path is configured, and no camera works: /cam is the test card. (\(why))\n"
    }
}
