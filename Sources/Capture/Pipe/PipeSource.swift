import Glibc
import Media
import Streams
import Synchronization

/// H.264 in Annex B format from standard input, a fifo or a device: `rpicam-vid -o - … | apus serve -`.
///
/// A frame is published when its last byte has arrived (`PipeParser`). The writer of a live pipe determines the pace. If a writer
/// never lets the pipe run empty (`cat file.264`), the pace changes: after one second of media without a pause of 1 ms, one frame
/// is taken per frame interval, and the full pipe slows the writer down.
public final class PipeSource: SupervisedSource {
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
    private let stopSignal = StopSignal()
    private let broken = Atomic<Int>(0)

    /// - Parameter inputLog: logs problems with the input; shared by all sources of one path.
    public convenience init(_ input: Input, inputLog: PipeInputLog) {
        self.init(input, inputLog: inputLog, clock: .host)
    }

    init(_ input: Input, inputLog: PipeInputLog = PipeInputLog(log: .silent), clock: PaceClock = .host) {
        self.input = input
        self.inputLog = inputLog
        self.clock = clock
        label = "pipe \(Self.name(of: input))"
    }

    /// The number of damaged NAL units: they were output because the pipe paused, but continued afterwards.
    public var brokenUnitCount: Int { broken.load(ordering: .relaxed) }

    public func requestKeyframe() {}

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
        var hasFrame = false
        while !stopSignal.isSet {
            let event = try reader.next(quiet: publisher.quietNanoseconds(), label)
            switch event {
            case .bytes(let bytes, let gap):
                if !publisher.hasAnnounced { startup.received(bytes, at: clock.now()) }
                publisher.received(bytes, afterGap: gap, unless: stopSignal)
            case .quiet: publisher.quietPassed()
            case .nothing: break
            case .end:
                publisher.ended(unless: stopSignal)
                if startup.hasInput, !publisher.hasAnnounced { throw notH264(startup.format) }
                return
            }
            if !publisher.hasAnnounced {
                try checkStartup(&startup, publisher)
            } else if !hasFrame {
                hasFrame = true
                inputLog.foundFrame()
            }
            broken.store(publisher.parser.brokenUnitCount, ordering: .relaxed)
        }
    }

    /// After this many bytes without a start code, the input is not H.264.
    private static let patience = 1 << 20

    /// Reports input in which no frame has been found yet.
    ///
    /// - Throws: if the input is known to have another format.
    private func checkStartup(_ startup: inout PipeStartupCheck, _ publisher: PipePublisher) throws(SourceFailure) {
        guard startup.format == nil, publisher.parser.strayByteCount < Self.patience else {
            throw notH264(startup.format)
        }
        let now = clock.now()
        switch startup.notice(at: now) {
        case .isWaiting: inputLog.isWaiting(for: Self.name(of: input), at: now)
        case .hasNoFrame:
            let hasSlices = publisher.parser.assembler.completedPictureCount > 0
            inputLog.hasNoFrame(from: Self.name(of: input), hasSlices: hasSlices)
        case nil: break
        }
    }

    private func notH264(_ format: UnsupportedFormat?) -> SourceFailure {
        let name = Self.name(of: input)
        guard let format = inputLog.recognised(format) else {
            return SourceFailure(
                reason: "the input from \(name) is not an H.264 byte stream, and its format is unknown",
                remedy: "make the writer send raw H.264 (Annex B), for example ffmpeg … -an -c:v libx264 -f h264 -")
        }
        return SourceFailure(
            reason: "the input from \(name) is not an H.264 byte stream; it looks like \(format.rawValue)",
            remedy: format.remedy)
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
