import Codecs
import Media
import Streams

/// What sound comes from: a sound card, or what stands in for one. Confined to one thread.
protocol AudioDevice: AnyObject {
    var format: SampleFormat { get }

    /// Waits for sound, at most 50 ms.
    ///
    /// - Throws: where the device has gone or will not go on; it is let go of then.
    func read() throws(SourceFailure) -> AudioReadResult
}

/// What a device has to say.
enum AudioReadResult: Sendable {
    case audio(CapturedAudio)
    /// Nobody read in time (an xrun), or the machine slept: sound is missing before the next.
    case lost
    /// Nothing came in time.
    case nothing
}

/// Sound as it comes from a device: whole frames in the device's format.
struct CapturedAudio: Sendable {
    let bytes: [UInt8]
    /// When the first frame was captured, as far as the device can tell: never before, perhaps a little after.
    let instant: MonotonicTime
}
