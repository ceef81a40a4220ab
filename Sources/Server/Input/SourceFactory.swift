import Capture
import Codecs
import Delivery
import FoundationEssentials
import Logging
import Muxing
import RTSP
import RTSPServer
import Reactor
import Streams

/// The stream from which substreams are made.
struct ParentStream: Sendable {
    let stream: Streams.Stream
    let fanOut: FrameFanOut
}

/// Creates the source of a path, with the path's settings. It opens no file or device before it runs.
///
/// - Parameters:
///   - fanOut: passes its frames to substreams.
///   - parent: the parent stream of a substream.
///   - publishing: where clients publish the path, or where a track of another path's publisher goes.
///   - tracks: the paths to which further video tracks of publishers go.
///   - pulls: the loops that pull streams of other servers.
///   - transcoding: encodes what publishers and other servers send and viewers cannot receive.
///   - log: for messages of the source while it runs, such as encoders that do not work.
func makeSource(
    _ path: Configuration.Path, fanOut: FrameFanOut, parent: ParentStream?, publishing: PublishingPoint?,
    tracks: TrackDirectory = TrackDirectory(), pulls: PullLoops, transcoding: ReceptionTranscoding, log: Logger
) -> any PathSource {
    switch path.source {
    case .testCard:
        return TestCard(EncodingSettings(path), log: log, fanOut: fanOut)
    case .substream:
        // The check of the configuration ensures that the parent exists.
        guard let parent else { return MissingParentStream(label: path.source.description) }
        return Substream(of: parent.stream, fanOut: parent.fanOut, encoding: EncodingSettings(path), log: log)
    case .standardInput:
        return PipeSource(
            .standardInput, encoding: EncodingSettings(path), inputLog: PipeInputLog(log: log), log: log)
    case .publish:
        // Each path with this source has one.
        guard let publishing else { return MissingParentStream(label: path.source.description) }
        return PublishedSource(at: publishing, transcoding: transcoding)
    case .track(let parent, let number):
        guard let publishing else { return MissingParentStream(label: path.source.description) }
        let key = TrackDirectory.Key(path: "/\(parent)", number: number)
        return PublishedSource(
            at: publishing, of: PublishedSource.Track(directory: tracks, key: key), transcoding: transcoding)
    case .pulled(let url, _):
        let pulling = RTSPPulling(url: url, settings: path.pull, trust: path.clock, loops: pulls.rtsp)
        return PulledSource(by: pulling, transcoding: transcoding)
    case .pulledRTMP(let url, _):
        let pulling = RTMPPulling(url: url, settings: path.pull, trust: path.clock, loops: pulls.rtmp)
        return PulledSource(by: pulling, transcoding: transcoding)
    case .pulledSRT(let url, _):
        return PulledSource(by: SRTPulling(url: url, trust: path.clock, calls: pulls.srt), transcoding: transcoding)
    case .url(let url) where DemuxerInput.isDatagrams(url):
        return makeDatagramSource(url, path, permittedBy: pulls.destinations, log: log)
    case .url(let url):
        let name = withoutCredentials(url)
        return ReopenedSource(label: name, path: path) { (path) throws(SourceFailure) in
            if !DemuxerInput.isHTTP(url) { try pulls.destinations.rules.permit(hostOf: url, shownAs: name) }
            let verifies = path.pull.certificate == .verify
            return FileSource(
                url: url, name: name, loops: path.loop, encoding: EncodingSettings(path),
                makeOpener: { interruption in
                    HTTPResources(pulls.destinations, verifyingCertificates: verifies, interruption: interruption)
                }, log: log)
        }
    case .path(let file):
        let inputLog = PipeInputLog(log: log)
        return ReopenedSource(label: file, path: path) { (path) throws(SourceFailure) in
            let kind = try InputKind(of: file)
            if let refusal = path.refusal(of: file, kind) { throw refusal }
            switch kind {
            case .file: return FileSource(path: file, loops: path.loop, encoding: EncodingSettings(path), log: log)
            case .pipe:
                return PipeSource(.path(file), encoding: EncodingSettings(path), inputLog: inputLog, log: log)
            case .camera:
                return CameraSource(
                    path: file, settings: CameraSettings(path), microphone: makeMicrophone(path, log: log),
                    fanOut: fanOut,
                    log: log)
            }
        }
    }
}

extension AddressRules {
    /// Checks the host of a URL that FFmpeg opens. FFmpeg looks the name up again.
    func permit(hostOf url: String, shownAs name: String) throws(SourceFailure) {
        guard !allowed.isEmpty || !denied.isEmpty else { return }
        let parts = URLComponents(string: url)
        let found = parts?.host.flatMap { host in
            NameLookup.addresses(
                of: host, port: parts?.port.flatMap(UInt16.init(exactly:)) ?? 0,
                until: .now().advanced(byMilliseconds: 10_000))
        }
        guard let found, !found.isEmpty, found.allSatisfy({ admits(IPAddress($0.host)) }) else {
            throw SourceFailure(
                reason: "connections to the address of \(name) are not permitted",
                remedy: "change access.connectAllow or access.connectDeny to permit it",
                leastPauseMilliseconds: RestartSchedule.refusalPauseMilliseconds)
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
    init(_ path: Configuration.Path) {
        self.init()
        video = VideoEncoderSettings(path.video)
        fit = path.video.fit
        hasPrivacyMasks = !path.effects.privacyMasks.isEmpty
        filters = path.effects.chain(title: path.title, size: path.video.size)
        timestampOverlay = path.effects.overlay == .timestampOverlay ? path.effects.overlayCorner : nil
        audio = path.audio.enabled ? AudioEncoder.Settings(path.audio) : nil
    }
}

/// The microphone of a path with a camera, with the path's settings; `nil` if the path has none.
///
/// It opens no device before it runs.
func makeMicrophone(_ path: Configuration.Path, log: Logger) -> Microphone? {
    guard path.audio.device != "none", let settings = EncodingSettings(path).audio else { return nil }
    return Microphone(device: path.audio.device, settings: settings, log: log)
}

/// The source of a substream without an existing parent path: it always fails.
final class MissingParentStream: PathSource {
    let label: String

    init(label: String) {
        self.label = label
    }

    func run(into stream: Stream) throws(SourceFailure) {
        throw SourceFailure(
            reason: "\(label) names a path that does not exist", remedy: "name one of the paths of the configuration")
    }

    func change(to path: Configuration.Path) -> ReconfigurationResult { .noEffect }
    func stop() {}
    func requestKeyframe() {}
}
