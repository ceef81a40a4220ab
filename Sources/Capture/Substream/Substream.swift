import Codecs
import Logging
import Media
import Reactor
import Streams

/// Another stream's pictures, coded once more in another size or rate, with its sound: `/cam/sub` beside `/cam`.
///
/// A camera or test card is captured and its effects are applied once: what they have made of a picture goes through a
/// `FrameFanOut`. Where the original passes H.264 through, it is decoded here. Times are the original's, so both streams show
/// the same instants. It never holds up the original: a picture that is not coded when the next comes is left out.
public final class Substream: ReconfigurableSource {
    public let label: String
    private let parent: Stream
    private let fanOut: FrameFanOut?
    private let control: EncoderControl
    private let stopSignal = StopSignal()

    /// - Parameters:
    ///   - parent: the stream whose pictures and sound it shows, on the same epoch as the stream that it is run into.
    ///   - fanOut: of the original's source, where that codes pictures.
    ///   - encoding: its size, rate and encoder; without `audio`, the original's sound is left out.
    public init(of parent: Stream, fanOut: FrameFanOut?, encoding: EncodingSettings, log: Logger) {
        self.parent = parent
        self.fanOut = fanOut
        control = EncoderControl(encoding, log: log)
        label = "substream of \(parent.path), \(encoding.video.width)×\(encoding.video.height)"
    }

    public func requestKeyframe() { control.requestKeyframe() }

    public func change(to encoding: EncodingSettings) { control.change(to: encoding) }

    public var status: SourceStatus? { control.status }

    public func stop() { stopSignal.raise() }

    public func run(into stream: Stream) throws(SourceFailure) {
        defer { stopSignal.consume() }
        let doorbell: Doorbell
        do { doorbell = try Doorbell() } catch { throw SourceFailure(reason: "no substream: \(error)") }
        while !stopSignal.isSet {
            guard let parentReader = ParentStreamReader(parent, doorbell: doorbell) else {
                if parent.hasEnded { stream.end() }
                // The source of the original has not announced anything yet, or has ended and may start again.
                doorbell.wait(milliseconds: 50)
                continue
            }
            do throws(CodecFailure) {
                try code(parentReader, doorbell, into: stream)
            } catch {
                throw SourceFailure(error)
            }
        }
    }

    /// Until it is stopped, or until the original has other tracks.
    private func code(_ parentReader: ParentStreamReader, _ doorbell: Doorbell, into stream: Stream)
        throws(CodecFailure)
    {
        let coding = try SubstreamPipeline(parentReader, fanOut, ringing: doorbell, control: control, into: stream)
        while !stopSignal.isSet, !coding.hasEnded {
            doorbell.wait(milliseconds: 50)
            // Nothing is published after the end, so this call takes all that was published before it.
            let isLast = parent.hasEnded
            try coding.go()
            if isLast { return }
        }
    }
}
