import Logging
import Media
import Reactor
import Streams

/// Takes the newest frame from a running device and publishes the access units that its pipeline makes. Confined to one thread.
struct CameraCapture {
    /// The longest time without a frame before the camera counts as failed. In the dark, cameras expose for a second at most.
    static let timeoutSeconds = 5

    /// The number of frames that the encoder's device may still read after they are encoded. The driver has four buffers, so
    /// at least one stays free for the next frame.
    private static let maximumRetainedCount = 2

    private let device: any CaptureDevice
    private let pipeline: any CameraPipeline
    /// The microphone's track, which is announced together with the video track.
    private let audioTrack: Track?
    private let stream: Stream
    private let control: EncoderControl
    private let clock: PaceClock
    private let log: Logger
    private var timeline: CameraTimeline
    private var faults = FrameFaultCounts()
    private var announced: [Track]?
    private var announcedRevision = 0
    private var lastFrame: MonotonicTime
    /// Frames in buffers that have not been returned to the driver.
    private var retained: [CameraFrame] = []

    /// - Parameter interval: the frame interval that the device has accepted.
    init(
        _ device: any CaptureDevice, _ pipeline: any CameraPipeline, interval: FrameInterval, audioTrack: Track?,
        stream: Stream, control: EncoderControl, clock: PaceClock, log: Logger
    ) {
        self.device = device
        self.pipeline = pipeline
        self.audioTrack = audioTrack
        self.stream = stream
        self.control = control
        self.clock = clock
        self.log = log
        lastFrame = clock.now()
        timeline = CameraTimeline(start: lastFrame, epoch: stream.epoch, interval: interval)
        // If the camera has an encoder, its first frame is an IDR frame anyway, and no viewer has seen an earlier one.
        announce()
    }

    /// Captures until `stop` is raised, the camera has to be reopened, or the device fails.
    mutating func run(
        path: String, _ pendingSettings: PendingCameraSettings, _ openControls: OpenCameraControls,
        until stop: StopSignal
    ) throws(SourceFailure) {
        while !stop.isSet, !shouldReopen(pendingSettings) {
            let changed = pendingSettings.takeControls()
            if !changed.isEmpty {
                device.adjust(changed, log: log)
                // One control may change others, such as automatic white balance.
                openControls.read(from: device)
            }
            // Short enough to react to `stop`.
            guard try device.wait(milliseconds: 50) else {
                let silence = clock.now() - lastFrame
                if silence > Int64(Self.timeoutSeconds) * 1_000_000_000 {
                    throw CameraFailure.noFrames(path, seconds: Self.timeoutSeconds)
                }
                continue
            }
            try captureAll()
        }
    }

    /// Whether the camera has to be reopened. A mode that the camera does not offer is rejected instead.
    private func shouldReopen(_ pendingSettings: PendingCameraSettings) -> Bool {
        guard pendingSettings.isReopeningRequested else { return pipeline.needsReopening }
        let settings = pendingSettings.settings
        let offers = device.offers
        guard FormatChoice(of: settings.eligible(offers), for: .init(settings.encoding.video)) == nil else {
            return true
        }
        let formats = Set(offers.map(\.code.description)).sorted().joined(separator: ", ")
        log.error(
            "the camera does not offer \(settings.format ?? "any"), so its format does not change; choose one of \(formats)"
        )
        pendingSettings.revertMode()
        return pipeline.needsReopening
    }

    /// Takes all filled buffers. If the pipeline may drop frames, only the newest frame is encoded. Otherwise one frame is taken,
    /// so that `run` checks the stop signal even if the pipeline is slower than the camera.
    private mutating func captureAll() throws(SourceFailure) {
        var newest: FilledBuffer?
        var skipped = 0
        while let buffer = try device.take() {
            lastFrame = clock.now()
            guard !buffer.isDamaged else {
                note(.damaged)
                try device.release(buffer)
                continue
            }
            if let older = newest {
                try device.release(older)
                skipped += 1
            }
            newest = buffer
            if !pipeline.mayDrop { break }
        }
        if let newest { try publish(newest, skipped: skipped) }
    }

    private mutating func publish(_ buffer: FilledBuffer, skipped: Int) throws(SourceFailure) {
        let jumps = timeline.implausibleTimeCount
        let time = timeline.time(driver: buffer.time, now: clock.now())
        if timeline.implausibleTimeCount > jumps { note(.time) }
        // A camera with an encoder is asked for the keyframe; otherwise the next frame that Apus encodes is the keyframe.
        if pipeline.passesThrough, control.takeKeyframeRequest() { _ = device.requestKeyframe() }
        let units = try encode(buffer, at: time, skipped: skipped)
        try releaseUnusedBuffers()
        if let fault = pipeline.fault { return note(fault) }
        announce(before: units)
        for unit in units { stream.publish(unit) }
    }

    private mutating func encode(
        _ buffer: FilledBuffer, at time: MediaTime, skipped: Int
    ) throws(SourceFailure) -> [AccessUnit] {
        let frame = CameraFrame(
            buffer, planes: device.bytes(of: buffer), of: device,
            mayBeRetained: retained.count < Self.maximumRetainedCount)
        retained.append(frame)
        return try pipeline.units(of: frame, at: time, skipped: skipped)
    }

    /// Returns the buffers of frames that have no reader left to the driver.
    private mutating func releaseUnusedBuffers() throws(SourceFailure) {
        for index in retained.indices.reversed() where isKnownUniquelyReferenced(&retained[index]) {
            try device.release(retained.remove(at: index).buffer)
        }
    }

    /// Announces the tracks when they are first known and when they change. They change only at an IDR frame.
    private mutating func announce(before units: [AccessUnit] = []) {
        guard let videoTracks = pipeline.tracks else { return }
        let tracks = videoTracks + (audioTrack.map { [$0] } ?? [])
        guard tracks != announced || pipeline.revision != announcedRevision else { return }
        guard announced == nil || units.contains(where: \.isKeyframe) else { return }
        (announced, announcedRevision) = (tracks, pipeline.revision)
        stream.announce(tracks)
    }

    private mutating func note(_ fault: FrameFault) {
        guard faults.note(fault, at: clock.now().nanoseconds) else { return }
        log.warning(
            "faulty camera frame: \(fault.rawValue)", metadata: ["soFar": "\(faults.count(of: fault))"])
    }
}
