import Codecs
import Media
import Streams

/// A source of audio: a sound card or its replacement. Confined to one thread.
protocol AudioDevice: AnyObject {
    var format: SampleFormat { get }

    /// Waits for audio, at most 50 ms.
    ///
    /// - Throws: if the device was removed or has failed; the caller then releases it.
    func read() throws(SourceFailure) -> AudioReadResult
}

/// The result of one read.
enum AudioReadResult: Sendable {
    case audio(CapturedAudio)
    /// Audio was lost before the next read, because it was not read in time (an xrun) or the machine was suspended.
    case lost
    /// No audio has arrived yet.
    case nothing
}

/// Audio from a device: whole frames in the device's format.
struct CapturedAudio: Sendable {
    let bytes: [UInt8]
    /// When the first frame was captured, as far as the device can tell: possibly a little late, but never early.
    let instant: MonotonicTime
}
