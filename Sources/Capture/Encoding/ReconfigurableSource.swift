import Streams

/// A source that codes its picture, and can code it otherwise while it runs.
public protocol ReconfigurableSource: Source {
    /// Goes on with these settings from one of the next pictures on; viewers stay. From any thread.
    ///
    /// Bitrate and group length change in the running encoder where it can do that. All else, the size, the frame rate and
    /// the effects too, begins with an IDR picture and its parameter sets. What cannot be done is logged, and nothing
    /// changes. The sound stays as it is.
    func change(to encoding: EncodingSettings)
}
