import Logging
import Media
import Reactor
import Streams

/// Takes frames from a running device, the newest first, and publishes what its coder makes of them. Confined to one thread.
struct CameraCapture {
    /// A camera in the dark exposes for a second at most.
    static let timeoutSeconds = 5

    /// Frames that the encoder's device may read on when they are coded. So the driver has one buffer at least to fill, of
    /// four, when the next is there.
    private static let maximumRetainedCount = 2

    private let device: any CaptureDevice
    private let pipeline: any CameraPipeline
    /// The microphone's track, which is announced with the pictures'.
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
    /// Those whose buffers the driver has not got back.
    private var kept: [CameraFrame] = []

    /// - Parameter interval: from frame to frame, as it was agreed with the device.
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
        // A camera that codes: its first picture is an IDR picture anyway, and nobody can have seen one before.
        announce()
    }

    /// Captures until the signal, until the camera is to be opened anew, or until the device fails.
    mutating func run(path: String, _ pendingSettings: PendingCameraSettings, until stop: StopSignal)
        throws(SourceFailure)
    {
        while !stop.isSet, !shouldReopen(pendingSettings) {
            device.adjust(pendingSettings.takeControls(), log: log)
            // Short enough to hear the signal.
            guard try device.wait(milliseconds: 50) else {
                let silence = clock.now() - lastFrame
                if silence > Int64(Self.timeoutSeconds) * 1_000_000_000 {
                    throw CameraFailure.silent(path, seconds: Self.timeoutSeconds)
                }
                continue
            }
            try captureAll()
        }
    }

    /// Whether the camera is to be opened anew; a mode that it does not have is refused instead.
    private func shouldReopen(_ pendingSettings: PendingCameraSettings) -> Bool {
        guard pendingSettings.isReopeningRequested else { return pipeline.needsReopening }
        let settings = pendingSettings.settings
        let offers = device.offers
        guard FormatChoice(of: settings.eligible(offers), for: .init(settings.encoding.video)) == nil else {
            return true
        }
        let formats = Set(offers.map(\.code.description)).sorted().joined(separator: ", ")
        log.error(
            "the camera's format stays as it was: it does not offer \(settings.format ?? "any"); choose one of \(formats)"
        )
        pendingSettings.revertMode()
        return pipeline.needsReopening
    }

    /// Takes all that is filled; only the newest is coded where frames may be left out. Else one is taken, lest a coder that
    /// is slower than the camera be never asked to stop.
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
        let jumps = timeline.jumpCount
        let time = timeline.time(driver: buffer.time, now: clock.now())
        if timeline.jumpCount > jumps { note(.time) }
        // A camera that codes is asked for it; else the next picture that can be coded is one.
        if pipeline.passesThrough, control.takeKeyframeRequest() { _ = device.forceKeyFrame() }
        let units = try code(buffer, at: time, skipped: skipped)
        try releaseUnread()
        if let fault = pipeline.fault { return note(fault) }
        announce(before: units)
        for unit in units { stream.publish(unit) }
    }

    private mutating func code(
        _ buffer: FilledBuffer, at time: MediaTime, skipped: Int
    ) throws(SourceFailure) -> [AccessUnit] {
        let frame = CameraFrame(
            buffer, planes: device.bytes(of: buffer), of: device, mayBeKept: kept.count < Self.maximumRetainedCount)
        kept.append(frame)
        return try pipeline.units(of: frame, at: time, skipped: skipped)
    }

    /// Gives the buffers of all frames that nobody reads any more back to the driver.
    private mutating func releaseUnread() throws(SourceFailure) {
        for index in kept.indices.reversed() where isKnownUniquelyReferenced(&kept[index]) {
            try device.release(kept.remove(at: index).buffer)
        }
    }

    /// Tells the tracks when they are first known, and when they change, which they do at an IDR picture.
    private mutating func announce(before units: [AccessUnit] = []) {
        guard let pictures = pipeline.tracks else { return }
        let tracks = pictures + (audioTrack.map { [$0] } ?? [])
        guard tracks != announced || pipeline.revision != announcedRevision else { return }
        guard announced == nil || units.contains(where: \.isKeyframe) else { return }
        (announced, announcedRevision) = (tracks, pipeline.revision)
        stream.announce(tracks)
    }

    private mutating func note(_ fault: FrameFault) {
        guard faults.note(fault, at: clock.now().nanoseconds) else { return }
        log.warning(
            "a frame of the camera's: \(fault.rawValue)", metadata: ["soFar": "\(faults.count(of: fault))"])
    }
}
