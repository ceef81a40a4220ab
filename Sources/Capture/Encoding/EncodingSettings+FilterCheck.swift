import Codecs
import Streams

extension EncodingSettings {
    /// Why the filters cannot be used on pictures of the size in `video`, and what to do; `nil` where they can.
    ///
    /// They are built and tried with a few grey pictures: some milliseconds. A source whose pictures have another size may
    /// still fail with them. From any thread.
    public var filterFailure: SourceFailure? {
        guard !filters.isEmpty else { return nil }
        do throws(CodecFailure) {
            try VideoFilter.validate(
                filters, width: video.width, height: video.height, frameRate: video.frameRate)
            return nil
        } catch {
            return SourceFailure(error)
        }
    }
}
