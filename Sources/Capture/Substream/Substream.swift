import Codecs
import Logging
import Media
import RateControl
import Reactor
import Streams

/// Encodes another stream's video again in another size or frame rate, and adds its audio: `/cam/sub` beside `/cam`.
///
/// A camera or test card is captured, and its effects are applied, only once: the frames after the effects come through a
/// `FrameFanOut`. If the parent passes H.264 through, the substream decodes it. The times are the parent's, so both streams show
/// the same instants. A substream never delays its parent: a frame that is not encoded before the next one arrives is dropped.
public final class Substream: ReconfigurableSource {
    public let label: String
    private let parent: Stream
    private let fanOut: FrameFanOut?
    private let control: EncoderControl
    private let stopSignal = StopSignal()

    /// - Parameters:
    ///   - parent: the stream to encode again; it has the same epoch as the stream that `run` publishes into.
    ///   - fanOut: the frames of the parent's source, if it encodes.
    ///   - encoding: size, frame rate and encoder; without `audio`, the parent's audio is left out.
    public init(of parent: Stream, fanOut: FrameFanOut?, encoding: EncodingSettings, log: Logger) {
        self.parent = parent
        self.fanOut = fanOut
        control = EncoderControl(encoding, log: log)
        label = "substream of \(parent.path), \(encoding.video.width)×\(encoding.video.height)"
    }

    public func requestKeyframe() { control.requestKeyframe() }

    public func follow(_ order: EncoderOrder?) { control.follow(order) }

    public func change(to encoding: EncodingSettings) { control.change(to: encoding) }

    public var status: SourceStatus? { control.status }

    public func stop() { stopSignal.raise() }

    public func run(into stream: Stream) throws(SourceFailure) {
        let use = StreamUse(of: parent)
        defer {
            withExtendedLifetime(use) {}
            stopSignal.consume()
        }
        let doorbell: Doorbell
        do { doorbell = try Doorbell() } catch { throw SourceFailure(reason: "the substream cannot start: \(error)") }
        while !stopSignal.isSet {
            guard let parentReader = ParentStreamReader(parent, doorbell: doorbell) else {
                if parent.hasEnded { stream.end() }
                // The parent's source has not announced its tracks yet, or has ended and may start again.
                doorbell.wait(milliseconds: 50)
                continue
            }
            do throws(CodecFailure) {
                try encode(parentReader, doorbell, into: stream)
            } catch {
                throw SourceFailure(error)
            }
        }
    }

    /// Runs until stopped, or until the parent's tracks change.
    private func encode(_ parentReader: ParentStreamReader, _ doorbell: Doorbell, into stream: Stream)
        throws(CodecFailure)
    {
        let pipeline = try SubstreamPipeline(parentReader, fanOut, ringing: doorbell, control: control, into: stream)
        while !stopSignal.isSet, !pipeline.hasEnded {
            doorbell.wait(milliseconds: 50)
            // No units are published after the end, so this call takes all remaining ones.
            let isLast = parent.hasEnded
            try pipeline.publishAvailable()
            if isLast { return }
        }
    }
}
