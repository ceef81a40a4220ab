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
        let run = TranscodingRun(formats, transcoding, clock: stream.clock) { output in
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
