import Codecs
import Streams

/// A source that codes its picture, and can code it otherwise while it runs.
public protocol ChangeableEncoding: Source {
    /// Goes on with these settings from one of the next pictures on; viewers stay. From any thread.
    ///
    /// Bitrate and group length change in the running encoder where it can do that. All else, the size and the frame rate
    /// too, begins with an IDR picture and its parameter sets. What no encoder here can do is logged, and nothing changes.
    func change(to video: VideoEncoder.Settings)
}
