import Glibc
import Logging
import Media
import Reactor
import Streams

extension Microphone {
    /// Performs `work`, which publishes the video, and publishes the audio on a separate thread until `work` returns.
    ///
    /// A failure of the microphone does not affect `work`.
    /// - Throws: what `work` throws.
    public func runAlongside(
        _ stream: Stream, track: TrackID, while work: () throws(SourceFailure) -> Void
    ) throws(SourceFailure) {
        let thread = startAudioThread(into: stream, track: track)
        defer { end(thread) }
        try work()
    }

    private func startAudioThread(into stream: Stream, track: TrackID) -> pthread_t? {
        do {
            return try startThread {
                do throws(SourceFailure) {
                    try self.run(into: stream, track: track)
                } catch {
                    self.log.error("no audio: \(error.reason)", metadata: ["remedy": "\(error.remedy)"])
                }
            }
        } catch {
            log.error("no audio: \(error)")
            return nil
        }
    }

    private func end(_ thread: pthread_t?) {
        guard let thread else { return }
        stop()
        pthread_join(thread, nil)
        clearStop()
    }
}
