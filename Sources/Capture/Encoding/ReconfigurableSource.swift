import Streams

/// A source that encodes video, with settings that can change while it runs.
public protocol ReconfigurableSource: SupervisedSource {
    /// Applies these settings from one of the next frames on; viewers stay connected. May be called from any thread.
    ///
    /// Bitrate and keyframe interval change in the running encoder if it supports that. All other changes, including size, frame
    /// rate and effects, begin with an IDR frame and its parameter sets. If a change fails, this is logged and the old settings
    /// stay. Audio settings do not change.
    func change(to encoding: EncodingSettings)
}
