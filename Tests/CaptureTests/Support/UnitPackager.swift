import Media
import Streams

/// A packager whose outputs are the units themselves: for a test that only looks into a stream.
struct UnitPackager: Packager {
    struct Output: PackagedUnit {
        let track: TrackID
        let presentationTime: MediaTime
        let isKeyframe: Bool
        let byteCount: Int
    }

    init(tracks: [Track], options: Int) {}

    func package(_ unit: AccessUnit) -> Output? {
        Output(
            track: unit.track, presentationTime: unit.presentationTime, isKeyframe: unit.isKeyframe,
            byteCount: unit.bytes.count)
    }
}

/// The loop of someone who looks by itself.
final class SilentWaker: Waker {
    func wake() {}
}
