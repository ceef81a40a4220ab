import Glibc
import Logging
import Media
import Muxing
import RateControl
import Streams
import Synchronization

/// Video and audio from standard input, a fifo or a device: `rpicam-vid -o - … | apus serve -`.
///
/// H.264 in Annex B format is parsed here, without delay. Every other format that is recognised, such as MPEG-TS, Matroska or H.265,
/// is read by libavformat (`LivePlayback`). A frame of H.264 is published when its last byte has arrived (`PipeParser`). The writer of a live pipe determines the pace. If a writer
/// never lets the pipe run empty (`cat file.264`), the pace changes: after one second of media without a pause of 1 ms, one frame
/// is taken per frame interval, and the full pipe slows the writer down.
public final class PipeSource: ReconfigurableSource {
    /// The origin of the bytes.
    public enum Input: Hashable, Sendable {
        case standardInput
        /// A fifo or a character device.
        case path(String)
        /// An open descriptor, which the caller closes.
        case descriptor(CInt)
    }

    public let label: String
    private let input: Input
    private let clock: PaceClock
    private let inputLog: PipeInputLog
    private let control: EncoderControl
    private let stopSignal = StopSignal()
    private let broken = Atomic<Int>(0)

    /// - Parameters:
    ///   - encoding: the settings for codecs that are transcoded; without `audio`, the input's audio is not played.
    ///   - inputLog: logs problems with the input; shared by all sources of one path.
    public convenience init(_ input: Input, encoding: EncodingSettings, inputLog: PipeInputLog, log: Logger) {
        self.init(input, encoding: encoding, inputLog: inputLog, log: log, clock: .host)
    }

    init(
        _ input: Input, encoding: EncodingSettings = EncodingSettings(),
        inputLog: PipeInputLog = PipeInputLog(log: .silent), log: Logger = .silent, clock: PaceClock = .host
    ) {
        self.input = input
        self.inputLog = inputLog
        control = EncoderControl(encoding, log: log)
        self.clock = clock
        label = "pipe \(Self.name(of: input))"
    }

    /// The number of damaged NAL units: they were output because the pipe paused, but continued afterwards.
    public var brokenUnitCount: Int { broken.load(ordering: .relaxed) }

    /// Requests a keyframe of video that is transcoded.
    public func requestKeyframe() { control.requestKeyframe() }

    public func follow(_ order: EncoderOrder?) { control.follow(order) }

    public var status: SourceStatus? {
        let status = control.status
        return status.pictureCount > 0 ? status : nil
    }

    /// Settings for what is transcoded. H.264 that passes through does not change.
    public func change(to encoding: EncodingSettings) { control.change(to: encoding) }

    /// True for standard input, which cannot be opened twice. A fifo may get another writer.
    public var endsForGood: Bool { input == .standardInput }

    public func stop() { stopSignal.raise() }

    public func run(into stream: Stream) throws(SourceFailure) {
        try run(epoch: stream.epoch, announce: stream.announce, publish: stream.publish)
    }

    /// `run(into:)` with closures instead of a stream.
    func run(
        epoch: MonotonicTime, announce: @escaping ([Track]) -> Void, publish: @escaping (AccessUnit) -> Void
    ) throws(SourceFailure) {
        defer { stopSignal.consume() }
        let descriptor = try open()
        defer { close(descriptor) }
        var publisher = PipePublisher(epoch: epoch, clock: clock, announce: announce, publish: publish)
        var reader = PipeReader(descriptor: descriptor, clock: clock)
        var startup = PipeStartupCheck(at: clock.now())
        while !stopSignal.isSet {
            let event = try reader.next(quiet: publisher.quietNanoseconds(), label)
            switch event {
            case .bytes(let bytes, let gap):
                if !publisher.hasAnnounced { startup.received(bytes, at: clock.now()) }
                if startup.format != nil {
                    let output = SourceOutput(epoch: epoch, announce: announce, publish: publish)
                    return try playContainer(after: startup.head, reader, into: output)
                }
                publisher.received(bytes, afterGap: gap, unless: stopSignal)
            case .quiet: publisher.quietPassed()
            case .nothing: break
            case .end:
                publisher.ended(unless: stopSignal)
                if startup.hasInput, !publisher.hasAnnounced { throw unknownFormat }
                return
            }
            if !publisher.hasAnnounced { try checkStartup(&startup, publisher) }
            broken.store(publisher.parser.brokenUnitCount, ordering: .relaxed)
        }
    }

    /// Plays input that libavformat reads.
    ///
    /// - Parameter head: the bytes that have been read already.
    private func playContainer(
        after head: [UInt8], _ reader: PipeReader, into output: SourceOutput
    ) throws(SourceFailure) {
        let bytes = PipeByteInput(head, reader, label, until: stopSignal)
        let kinds: Set<Codec.Kind> = control.settings.audio == nil ? [.video] : [.video, .audio]
        let demuxer: Demuxer
        do throws(DemuxFailure) {
            demuxer = try Demuxer(.bytes(name: label), reading: ByteInput(bytes.read), playing: kinds)
        } catch {
            if stopSignal.isSet { return }
            throw bytes.failure ?? SourceFailure(error)
        }
        let tracks = try demuxer.fileTracks(control, clock: clock)
        try LivePlayback(demuxer, tracks, into: output, clock: clock, stop: stopSignal).play()
        if let failure = bytes.failure { throw failure }
    }

    /// After this many bytes without a start code, the input is not H.264.
    private static let patience = 1 << 20

    /// Reports input in which no frame has been found yet.
    ///
    /// - Throws: if the input is certainly not H.264.
    private func checkStartup(_ startup: inout PipeStartupCheck, _ publisher: PipePublisher) throws(SourceFailure) {
        guard publisher.parser.strayByteCount < Self.patience else { throw unknownFormat }
        let now = clock.now()
        switch startup.notice(at: now) {
        case .isWaiting: inputLog.isWaiting(for: Self.name(of: input), at: now)
        case .hasNoFrame:
            let hasSlices = publisher.parser.assembler.completedPictureCount > 0
            inputLog.hasNoFrame(from: Self.name(of: input), hasSlices: hasSlices)
        case nil: break
        }
    }

    private var unknownFormat: SourceFailure {
        SourceFailure(
            reason: "the input from \(Self.name(of: input)) has an unknown format",
            remedy: "make the writer send H.264, H.265, MPEG-TS or Matroska, for example ffmpeg … -f mpegts -")
    }

    private static func name(of input: Input) -> String {
        switch input {
        case .standardInput: "standard input"
        case .path(let path): path
        case .descriptor(let descriptor): "descriptor \(descriptor)"
        }
    }
}

// MARK: - The descriptor

extension PipeSource {
    private func open() throws(SourceFailure) -> CInt {
        switch input {
        case .standardInput: return 0
        case .descriptor(let descriptor): return descriptor
        case .path(let path):
            // Without O_NONBLOCK, open would wait for a writer and ignore the stop signal.
            let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw SourceFailure(
                    reason: "\(path) cannot be opened: \(String(cString: strerror(errno)))",
                    remedy: "make it with: mkfifo \(path)")
            }
            return descriptor
        }
    }

    private func close(_ descriptor: CInt) {
        if case .path = input { _ = Glibc.close(descriptor) }
    }
}
