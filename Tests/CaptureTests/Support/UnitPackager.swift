import Media
import Streams

/// A packager that outputs the units themselves, for tests that only inspect a stream.
struct UnitPackager: Packager {
    struct Output: PackagedUnit {
        let track: TrackID
        let presentationTime: MediaTime
        let isKeyframe: Bool
        let byteCount: Int
        var part: AccessUnit.Part { .whole }
    }

    init(tracks: [Track], options: Int) {}

    func package(_ unit: AccessUnit) -> Output? {
        Output(
            track: unit.track, presentationTime: unit.presentationTime, isKeyframe: unit.isKeyframe,
            byteCount: unit.bytes.count)
    }
}

/// A waker that does nothing, for tests that poll.
final class SilentWaker: Waker {
    func wake() {}
}
