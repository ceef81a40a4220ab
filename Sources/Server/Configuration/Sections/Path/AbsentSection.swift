import Capture

extension Configuration {
    /// What viewers of a path see while its source is absent.
    public struct Absent: Hashable, Sendable {
        public var show = Display.nothing
        public var afterSeconds = 2

        public init() {}

        public enum Display: String, CaseIterable, Sendable {
            case nothing
            case frame
            case slate
        }

        /// `nil` if nothing is shown.
        var display: AbsenceDisplay? {
            switch show {
            case .nothing: nil
            case .frame: .lastFrame
            case .slate: .slate
            }
        }
    }
}

extension Schema<Configuration.Absent> {
    static var absent: Self {
        Schema(
            takingEffect: .source,
            .choice(
                "show", \.show,
                "frame: the last frame, with a notice and the elapsed time. slate: a dark frame with the same text. Both have "
                    + "silent audio, and let clients join at any time, also before the source was ever there; then they have "
                    + "H.264 and AAC with 48 kHz and two channels. nothing: viewers wait, and keep the last frame."),
            .integer(
                "afterSeconds", \.afterSeconds, in: 1...3600, unit: "seconds",
                "How long the source must be silent. Shorter pauses, such as those of a bad network, show nothing."))
    }
}
