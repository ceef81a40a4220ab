import Codecs
import Logging
import Media
import Reactor
import Streams

/// Encodes the tracks of publishers, cameras and servers that viewers cannot receive: L16 and G.722 as AAC. A path has one for all of
/// its senders. Thread-safe.
public final class ReceptionTranscoding: InputTranscoding {
    let control: EncoderControl
    let log: Logger

    /// - Parameters:
    ///   - encoding: how to encode; without `audio`, its default settings.
    ///   - log: receives what cannot be transcoded, and why.
    public init(_ encoding: EncodingSettings, log: Logger) {
        control = EncoderControl(encoding, log: log)
        self.log = log
    }

    public func begin(
        _ formats: [TrackID: TranscodedFormat], into stream: Streams.Stream
    ) -> (any InputTranscoder)? {
        do throws(SystemError) {
            let transcoder = ReceptionTranscoder(formats, into: stream, self, bell: try Doorbell())
            try transcoder.start()
            return transcoder
        } catch {
            log.error("tracks that viewers cannot receive are left out: no thread can be started: \(error)")
            return nil
        }
    }
}
