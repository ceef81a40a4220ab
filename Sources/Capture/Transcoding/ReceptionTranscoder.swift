import Codecs
import Logging
import Media
import Reactor
import Streams
import Synchronization

/// Publishes what one sender sends, with some tracks encoded again. Thread-safe.
///
/// Received units arrive on an event loop, which must not wait for a decoder. So they wait in a bounded queue (`ReceptionQueue`) for a
/// thread of their own, together with the units that are not encoded again, whose order to the announcements thus stays.
final class ReceptionTranscoder: InputTranscoder {
    private let formats: [TrackID: TranscodedFormat]
    private let stream: Streams.Stream
    private let transcoding: ReceptionTranscoding
    private let bell: Doorbell
    private let queue: Mutex<ReceptionQueue>
    /// Held while something is published, so that nothing is published after ``close()``.
    private let isOpen = Mutex(true)

    init(
        _ formats: [TrackID: TranscodedFormat], into stream: Streams.Stream, _ transcoding: ReceptionTranscoding,
        bell: Doorbell
    ) {
        (self.formats, self.stream, self.transcoding, self.bell) = (formats, stream, transcoding, bell)
        queue = Mutex(ReceptionQueue(transcoding: formats))
    }

    /// Starts the thread, which ends after ``close()``.
    func start() throws(SystemError) {
        try startDetachedThread(name: "transcoder") { self.run() }
    }

    func announce(_ tracks: [Track]) {
        queue.withLock { $0.append(.announce(tracks)) }
        bell.ring()
    }

    func publish(_ unit: AccessUnit) {
        queue.withLock { $0.append(.publish(unit)) }
        bell.ring()
    }

    func close() {
        isOpen.withLock { $0 = false }
        bell.ring()
    }

    // MARK: The thread

    private func run() {
        let run = TranscodingRun(formats, transcoding) { output in
            self.isOpen.withLock { isOpen in
                guard isOpen else { return }
                switch output {
                case .announce(let tracks): self.stream.announce(tracks)
                case .publish(let unit): self.stream.publish(unit)
                }
            }
        }
        while isOpen.withLock(\.self) {
            bell.wait(milliseconds: .max)
            while let order = queue.withLock({ $0.next() }), isOpen.withLock(\.self) { run.take(order) }
            run.dropped(queue.withLock { $0.takeDropCount() })
        }
    }
}

/// The work of a transcoder's thread: decoders, encoders, and what is announced. Confined to that thread.
final class TranscodingRun {
    private let transcoding: ReceptionTranscoding
    private let pass: (ReceptionQueue.Order) -> Void
    private var audio: [TrackID: AudioTranscoder] = [:]
    /// The tracks that are not encoded again; `nil` before they are known.
    private var carried: [Track]?
    private var announced: [Track] = []
    /// The tracks whose failure was logged.
    private var failed: Set<TrackID> = []
    /// Units that were dropped and not logged yet.
    private var dropCount = 0
    private var lastDropReport: MonotonicTime?

    /// Opens the encoders whose settings are known.
    ///
    /// - Parameter pass: announces tracks and publishes units.
    init(
        _ formats: [TrackID: TranscodedFormat], _ transcoding: ReceptionTranscoding,
        pass: @escaping (ReceptionQueue.Order) -> Void
    ) {
        (self.transcoding, self.pass) = (transcoding, pass)
        let settings = transcoding.control.settings.audio ?? AudioEncoder.Settings()
        for (id, format) in formats {
            do throws(CodecFailure) {
                audio[id] = try AudioTranscoder(format, as: settings, track: id)
            } catch {
                leaveOut(id, error)
            }
        }
    }

    func take(_ order: ReceptionQueue.Order) {
        switch order {
        case .announce(let tracks):
            carried = tracks
            announce()
        case .publish(let unit): publish(unit)
        }
    }

    private func publish(_ unit: AccessUnit) {
        guard let transcoder = audio[unit.track] else {
            if !failed.contains(unit.track) { pass(.publish(unit)) }
            return
        }
        do throws(CodecFailure) {
            for unit in try transcoder.units(of: unit) { pass(.publish(unit)) }
        } catch {
            audio[unit.track] = nil
            leaveOut(unit.track, error)
            announce()
        }
    }

    /// Announces all tracks when all are known.
    private func announce() {
        guard let carried else { return }
        let tracks = (carried + audio.values.map(\.track)).sorted { $0.id < $1.id }
        guard !tracks.isEmpty, tracks != announced else { return }
        announced = tracks
        pass(.announce(tracks))
    }

    private func leaveOut(_ track: TrackID, _ failure: CodecFailure) {
        guard failed.insert(track).inserted else { return }
        let remedy = failure.remedy.isEmpty ? "" : "; \(failure.remedy)"
        transcoding.log.error("track \(track.index + 1) is left out: \(failure.reason)\(remedy)")
    }

    /// Reports units that were dropped because this thread is too slow, at most once a minute.
    func dropped(_ count: Int) {
        guard count > 0 else { return }
        dropCount += count
        transcoding.control.skippedFrames(count)
        let now = MonotonicTime.now()
        if let lastDropReport, now - lastDropReport < 60_000_000_000 { return }
        lastDropReport = now
        transcoding.log.warning("\(dropCount) received frames were dropped, because they cannot be encoded fast enough")
        dropCount = 0
    }
}
