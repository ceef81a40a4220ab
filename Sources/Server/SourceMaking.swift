import Capture
import Logging
import Media
import Streams

/// The source of a path, with the path's settings. It opens nothing before it runs.
///
/// - Parameter log: for what a source has to say while it runs: cameras, encoders that do not work.
func makeSource(_ path: Configuration.Path, log: Logger) -> any Source {
    switch path.source {
    case .testCard:
        return TestCard(EncodingSettings(path), log: log)
    case .standardInput:
        return PipeSource(.standardInput)
    case .path(let file):
        return ReopenedSource(label: file) { () throws(SourceFailure) in
            switch try InputKind(of: file) {
            case .file: FileSource(path: file, loops: path.loop, encoding: EncodingSettings(path), log: log)
            case .pipe: PipeSource(.path(file))
            case .camera: CameraSource(path: file, settings: CameraSettings(path), log: log)
            }
        }
    }
}

extension CameraSettings {
    init(_ path: Configuration.Path) {
        self.init()
        encoding = EncodingSettings(path)
        format = path.camera.format == "auto" ? nil : path.camera.format
        controls = path.camera.controls
    }
}

extension EncodingSettings {
    /// The schema's ranges keep every conversion exact.
    init(_ path: Configuration.Path) {
        self.init()
        video.encoder = path.video.encoder
        video.encoderFallback = path.video.encoderFallback
        video.width = path.video.width
        video.height = path.video.height
        video.frameRate = .init(Int32(clamping: path.video.framesPerSecond)) ?? .thirty
        video.bitrate = path.video.bitsPerSecond
        video.gopFrames = path.video.gopFrames
        video.intraRefresh = path.video.intraRefresh
        video.profile = .init(rawValue: path.video.profile.rawValue) ?? .high
        video.preset = path.video.preset.rawValue
        video.threads = path.video.threads
        if !path.audio.enabled { audio = nil }
        audio?.sampleRate = ClockRate(hertz: Int32(clamping: path.audio.sampleRate.hertz)) ?? .audio48k
        audio?.channelCount = path.audio.channels
        audio?.bitrate = path.audio.bitsPerSecond
    }
}
