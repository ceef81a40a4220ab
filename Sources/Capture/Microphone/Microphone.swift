import Codecs
import Logging
import Media
import Streams
import Synchronization

/// The sound of a source that has pictures of its own: publishes one track of AAC into the source's stream.
///
/// The source announces `track` among its tracks and runs `runAlongside` around its own work, or `run` on another thread. A
/// microphone that is absent, busy or dies never ends anything: silence stands in for it, so that players go on, and it is
/// opened again as soon as it is back. Units carry the time of capture, in the stream's count; they are published some 50 ms
/// after it, which is what coding AAC takes, so they come after pictures that were captured later.
public final class Microphone: Sendable {
    /// As ALSA knows it: `default`, `plughw:CARD=Device,DEV=0`.
    public let device: String
    public let settings: AudioEncoder.Settings
    let log: Logger
    private let clock: PaceClock
    private let open: @Sendable (SampleFormat) throws(SourceFailure) -> any AudioDevice
    private let stopSignal = StopSignal()
    private let current = Mutex(MicrophoneStatus())
    /// Keeps a microphone that loses sound all the time from filling the log.
    private let lossLogLimiter = Mutex(LossLogLimiter())

    /// From one attempt to open an absent microphone to the next, in nanoseconds: short enough for who plugs it in.
    private static let minimumRetryInterval: Int64 = 2_000_000_000
    private static let maximumRetryInterval: Int64 = 60_000_000_000
    /// A microphone that has delivered for so long, in nanoseconds, works.
    private static let stableTime: Int64 = 10_000_000_000
    /// Waits of 50 ms in which nothing comes, before a device is taken for dead.
    private static let maximumEmptyReads = 40

    public convenience init(device: String, settings: AudioEncoder.Settings, log: Logger) {
        self.init(device: device, settings: settings, log: log, clock: .host) { format throws(SourceFailure) in
            try ALSADevice(device, near: format)
        }
    }

    /// The same on a clock and with devices of the caller's choice.
    init(
        device: String, settings: AudioEncoder.Settings, log: Logger, clock: PaceClock,
        open: @escaping @Sendable (SampleFormat) throws(SourceFailure) -> any AudioDevice
    ) {
        self.device = device
        self.settings = settings
        self.log = log
        self.clock = clock
        self.open = open
    }

    /// From any thread.
    public var status: MicrophoneStatus { current.withLock { $0 } }

    /// The track to announce, whether the microphone is there or not. Opens an encoder for a moment.
    public func track(_ id: TrackID) throws(SourceFailure) -> Track {
        try pipeline(id, epoch: MonotonicTime(nanoseconds: 0)).track
    }

    /// Publishes the track until `stop` is called. Blocks the calling thread.
    ///
    /// - Throws: where there is no encoder for these settings; never for the device.
    public func run(into stream: Stream, track id: TrackID) throws(SourceFailure) {
        defer { stopSignal.consume() }
        let pipeline = try pipeline(id, epoch: stream.epoch)
        let silence = SilentDevice(settings, clock: clock, stopSignal: stopSignal)
        var outage: SourceFailure?
        var pause = Self.minimumRetryInterval
        while !stopSignal.isSet {
            var opened: MonotonicTime?
            do throws(SourceFailure) {
                let device = try open(silence.format)
                opened = clock.now()
                note(present: device, after: outage)
                try publish(device, through: pipeline, into: stream, until: .distantFuture)
            } catch {
                note(absent: error, before: opened == nil ? outage : nil)
                outage = error
                pause = self.pause(after: pause, opened: opened)
                silence.begin()
                try publish(silence, through: pipeline, into: stream, until: clock.now() + pause)
            }
        }
    }

    /// One that opens and fails at once is left alone longer each time: it would fill the log.
    private func pause(after last: Int64, opened: MonotonicTime?) -> Int64 {
        guard let opened, clock.now() - opened < Self.stableTime else { return Self.minimumRetryInterval }
        return min(2 * last, Self.maximumRetryInterval)
    }

    /// Makes `run` return within 100 ms. From any thread, at any time.
    public func stop() {
        stopSignal.raise()
    }

    private func pipeline(_ id: TrackID, epoch: MonotonicTime) throws(SourceFailure) -> MicrophonePipeline {
        do {
            return try MicrophonePipeline(settings, track: id, epoch: epoch)
        } catch {
            throw SourceFailure(error)
        }
    }

    /// Forgets an order to stop that found nobody running.
    func clearStop() {
        stopSignal.consume()
    }

    // MARK: - Sound

    private func publish(
        _ device: any AudioDevice, through pipeline: MicrophonePipeline, into stream: Stream, until end: MonotonicTime
    ) throws(SourceFailure) {
        pipeline.open(device.format)
        var patience = Self.maximumEmptyReads
        while !stopSignal.isSet, clock.now() < end {
            switch try device.read() {
            case .audio(let audio):
                patience = Self.maximumEmptyReads
                try publish(audio, through: pipeline, into: stream)
            case .lost:
                pipeline.interrupt()
                noteLoss()
            case .nothing:
                patience -= 1
                guard patience > 0 else { throw .microphoneWithoutData(self.device) }
            }
        }
    }

    private func publish(
        _ audio: CapturedAudio, through pipeline: MicrophonePipeline, into stream: Stream
    ) throws(SourceFailure) {
        do {
            for unit in try pipeline.units(of: audio) { stream.publish(unit) }
        } catch {
            throw SourceFailure(error)
        }
        guard !pipeline.isFasterThanRealTime else { throw .microphoneFasterThanRealTime(device) }
        current.withLock {
            $0.driftPartsPerMillion = pipeline.drift
            $0.insertedSilenceMilliseconds = Int(pipeline.insertedSilence / 1_000_000)
        }
    }

    // MARK: - What is told

    private func note(present device: any AudioDevice, after outage: SourceFailure?) {
        current.withLock { $0.isCapturing = true }
        let format = device.format
        log.notice(
            outage == nil ? "microphone" : "the microphone is back",
            metadata: [
                "device": "\(self.device)", "hertz": "\(format.sampleRate)", "channels": "\(format.channelCount)",
            ])
    }

    private func note(absent failure: SourceFailure, before: SourceFailure?) {
        current.withLock {
            if $0.isCapturing || before == nil { $0.outageCount += 1 }
            $0.isCapturing = false
        }
        // Every two seconds the same would be no news.
        guard failure != before else { return }
        log.warning("\(failure.reason): silence in its place", metadata: ["remedy": "\(failure.remedy)"])
    }

    private func noteLoss() {
        let count = current.withLock { status in
            status.overrunCount += 1
            return status.overrunCount
        }
        guard lossLogLimiter.withLock({ $0.allows(at: clock.now()) }) else { return }
        log.warning(
            "sound was lost: nobody read the microphone in time",
            metadata: ["device": "\(device)", "times": "\(count)"])
    }
}

/// At most one line a minute.
private struct LossLogLimiter {
    private var next = MonotonicTime(nanoseconds: .min)

    mutating func allows(at now: MonotonicTime) -> Bool {
        guard now >= next else { return false }
        next = now + 60_000_000_000
        return true
    }
}
