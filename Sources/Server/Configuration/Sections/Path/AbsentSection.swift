import Capture

extension Configuration {
    /// What viewers of a path see while its source is absent.
    public struct Absent: Hashable, Sendable {
        public var show = Display.nothing
        public var afterSeconds = 2
        /// Of `show: file`.
        public var file = ""
        /// Before the first source; empty for those of the last run.
        public var tracks: [AnnouncedTrack] = []

        public init() {}

        public enum Display: String, CaseIterable, Sendable {
            case nothing
            case frame
            case slate
            case file
        }

        /// `nil` if nothing is shown.
        var display: AbsenceDisplay? {
            switch show {
            case .nothing: nil
            case .frame: .lastFrame
            case .slate: .slate
            case .file: .file(file)
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
                "frame: the last frame, with a notice and the elapsed time. slate: a dark frame with the same text, and silent "
                    + "audio, as with frame. file: the file of absent.file. All let clients join at any time, also before the "
                    + "source was ever there. nothing: viewers wait, and keep the last frame."),
            .integer(
                "afterSeconds", \.afterSeconds, in: 1...3600, unit: "seconds",
                "How long the source must be silent. Shorter pauses, such as those of a bad network, show nothing."),
            .text(
                "file", \.file, maximumBytes: 4096,
                "With show: file, the video file that is played again and again. It is encoded in the codec and the size that "
                    + "viewers were announced. If it cannot be played, a slate is shown."),
            .announcedTracks(
                "tracks", \.tracks,
                "The tracks before the source was ever there: at most one of video and one of audio. Publishers whose audio is "
                    + "another are refused. [] for those that the source had last, also before a restart; if they are not "
                    + "known, H.264 with 1280x720 and AAC with 48 kHz in stereo."))
    }
}
