import Codecs
import Logging
import Media
import Streams
import Synchronization

/// Adds audio to a source that has video: publishes one AAC track into the source's stream.
///
/// The source announces `track` with its own tracks and calls `runAlongside`, or calls `run` on another thread. If the microphone
/// is absent, busy or fails, silence replaces it, so that players continue, and it is reopened as soon as it is available.
/// Units carry their capture time on the stream's clock. They are published some 50 ms later, because AAC encoding takes that
/// long, and therefore after frames that were captured later.
public final class Microphone: Sendable {
    /// ALSA's name: `default`, `plughw:CARD=Device,DEV=0`.
    public let device: String
    public let settings: AudioEncoder.Settings
    let log: Logger
    private let clock: PaceClock
    private let open: @Sendable (SampleFormat) throws(SourceFailure) -> any AudioDevice
    private let stopSignal = StopSignal()
    private let current = Mutex(MicrophoneStatus())
    /// Prevents a microphone that loses audio continuously from filling the log.
    private let lossLogLimiter = Mutex(LossLogLimiter())

    /// Nanoseconds between attempts to open an absent microphone: short, so that a user who plugs one in hears it soon.
    private static let minimumRetryInterval: Int64 = 2_000_000_000
    private static let maximumRetryInterval: Int64 = 60_000_000_000
    /// A microphone that has delivered audio for this many nanoseconds counts as stable.
    private static let stableTime: Int64 = 10_000_000_000
    /// After this many reads of 50 ms without audio, the device counts as failed.
    private static let maximumEmptyReads = 40

    public convenience init(device: String, settings: AudioEncoder.Settings, log: Logger) {
        self.init(device: device, settings: settings, log: log, clock: .host) { format throws(SourceFailure) in
            try ALSADevice(device, near: format)
        }
    }

    /// A microphone with the given clock and devices, for tests.
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

    /// May be read from any thread.
    public var status: MicrophoneStatus { current.withLock { $0 } }

    /// The track to announce, whether or not the microphone is present. Opens an encoder for a moment.
    public func track(_ id: TrackID) throws(SourceFailure) -> Track {
        try pipeline(id, epoch: MonotonicTime(nanoseconds: 0)).track
    }

    /// Publishes the track until `stop` is called. Blocks the calling thread.
    ///
    /// - Throws: if no encoder supports the settings; never because of the device.
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

    /// The pause doubles while a microphone opens and fails at once, because each failure is logged.
    private func pause(after last: Int64, opened: MonotonicTime?) -> Int64 {
        guard let opened, clock.now() - opened < Self.stableTime else { return Self.minimumRetryInterval }
        return min(2 * last, Self.maximumRetryInterval)
    }

    /// Makes `run` return within 100 ms. May be called from any thread at any time.
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

    /// Clears a stop request that arrived after the thread had ended.
    func clearStop() {
        stopSignal.consume()
    }

    // MARK: - Audio

    private func publish(
        _ device: any AudioDevice, through pipeline: MicrophonePipeline, into stream: Stream, until end: MonotonicTime
    ) throws(SourceFailure) {
        pipeline.open(device.format)
        var remainingReads = Self.maximumEmptyReads
        while !stopSignal.isSet, clock.now() < end {
            switch try device.read() {
            case .audio(let audio):
                remainingReads = Self.maximumEmptyReads
                try publish(audio, through: pipeline, into: stream)
            case .lost:
                pipeline.interrupt()
                noteLoss()
            case .nothing:
                remainingReads -= 1
                guard remainingReads > 0 else { throw .microphoneWithoutData(self.device) }
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

    // MARK: - Status and log

    private func note(present device: any AudioDevice, after outage: SourceFailure?) {
        current.withLock { $0.isCapturing = true }
        let format = device.format
        log.notice(
            outage == nil ? "microphone opened" : "microphone available again",
            metadata: [
                "device": "\(self.device)", "hertz": "\(format.sampleRate)", "channels": "\(format.channelCount)",
            ])
    }

    private func note(absent failure: SourceFailure, before: SourceFailure?) {
        current.withLock {
            if $0.isCapturing || before == nil { $0.outageCount += 1 }
            $0.isCapturing = false
        }
        // Avoids logging the same failure every two seconds.
        guard failure != before else { return }
        log.warning("\(failure.reason); sending silence instead", metadata: ["remedy": "\(failure.remedy)"])
    }

    private func noteLoss() {
        let count = current.withLock { status in
            status.overrunCount += 1
            return status.overrunCount
        }
        guard lossLogLimiter.withLock({ $0.allows(at: clock.now()) }) else { return }
        log.warning(
            "audio was lost because the microphone was not read in time",
            metadata: ["device": "\(device)", "times": "\(count)"])
    }
}

/// Allows one message a minute.
private struct LossLogLimiter {
    private var next = MonotonicTime(nanoseconds: .min)

    mutating func allows(at now: MonotonicTime) -> Bool {
        guard now >= next else { return false }
        next = now + 60_000_000_000
        return true
    }
}
