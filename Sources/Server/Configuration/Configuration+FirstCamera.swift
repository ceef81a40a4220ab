import Capture
import Streams

extension Configuration {
    /// Where no path is configured, makes `cam` the first camera that works; without one, `cam` stays the test card.
    ///
    /// - Parameter search: looks for that camera, and says what is wrong with others.
    /// - Returns: what was chosen and why, in a line for people; `nil` where paths are configured.
    public mutating func chooseFirstCamera(
        among search: () -> (path: String?, failures: [SourceFailure]) = CameraSurvey.firstThatWorks
    ) -> String? {
        guard paths.isEmpty else { return nil }
        let (camera, failures) = search()
        if let camera {
            var path = Path()
            path.source = .path(camera)
            paths["cam"] = path
            return "No path is configured: /cam is the first camera that works, \(camera).\n"
        }
        let reasons = failures.map { $0.reason + ($0.remedy.isEmpty ? "" : "; \($0.remedy)") }
        let why = reasons.isEmpty ? "no camera is plugged in" : reasons.joined(separator: ". ")
        return "No path is configured, and no camera works: /cam is the test card. (\(why))\n"
    }
}
