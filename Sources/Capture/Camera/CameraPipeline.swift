import Media
import Streams

/// Turns a camera's frames, in the negotiated format, into access units. Confined to one thread.
protocol CameraPipeline: AnyObject {
    /// The tracks to announce; `nil` until the first frames have given the parameter sets.
    var tracks: [Track]? { get }

    /// Increases if the tracks have to be announced again with the next units although they are the same.
    var revision: Int { get }

    /// Whether the camera's H.264 is passed on unchanged; the camera itself is then asked for keyframes.
    var passesThrough: Bool { get }

    /// Whether the camera has to be reopened: effects need decoded frames, and without effects the camera's H.264 is passed on.
    var needsReopening: Bool { get }

    /// Whether a frame may be dropped if a newer one is available.
    var mayDrop: Bool { get }

    /// The access units of one frame; empty if the frame is faulty (`fault` says why).
    ///
    /// - Parameter skipped: the number of frames that were dropped before this one.
    func units(of frame: CameraFrame, at time: MediaTime, skipped: Int) throws(SourceFailure) -> [AccessUnit]

    /// The fault of the last frame.
    var fault: FrameFault? { get }
}

let cameraVideoTrack = TrackID(0)
let cameraAudioTrack = TrackID(1)
