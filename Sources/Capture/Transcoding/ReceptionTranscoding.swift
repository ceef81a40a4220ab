import Codecs
import Logging
import Media
import RateControl
import Reactor
import Streams

/// Encodes the tracks of publishers, cameras and servers that viewers cannot receive: L16 and G.722 as AAC, JPEG as
/// H.264. A path has one for all of
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

    /// Requests a keyframe of video that is encoded here.
    public func requestKeyframe() { control.requestKeyframe() }

    /// Makes the encoder follow what viewers can receive.
    public func follow(_ order: EncoderOrder?) { control.follow(order) }

    /// Uses these settings from one of the next frames on, except for their size.
    public func change(to encoding: EncodingSettings) { control.change(to: encoding) }

    /// What was encoded as H.264; `nil` if nothing was.
    public var status: SourceStatus? {
        let status = control.status
        return status.pictureCount > 0 ? status : nil
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
