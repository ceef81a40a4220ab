import Synchronization

/// What is wanted of a camera, as changed last, and what of it the capture that runs has yet to do. From any thread.
final class PendingCameraSettings: Sendable {
    private struct State {
        var settings: CameraSettings
        /// With which the camera was opened last.
        var opened: CameraSettings
        var controls: [String: String] = [:]
        var isReopeningRequested = false
    }

    private let state: Mutex<State>

    init(_ settings: CameraSettings) {
        state = Mutex(State(settings: settings, opened: settings))
    }

    var settings: CameraSettings { state.withLock { $0.settings } }

    /// Takes down what differs from before: controls are set on the open camera; another format, size or rate needs it opened
    /// anew. How the picture is coded is the encoder's business.
    func change(to new: CameraSettings) {
        state.withLock { state in
            let old = state.settings
            state.settings = new
            state.isReopeningRequested = state.isReopeningRequested || !new.hasSameMode(as: old)
            for (name, value) in new.controls where old.controls[name] != value { state.controls[name] = value }
        }
    }

    /// The controls to set that were not taken yet, by name.
    func takeControls() -> [String: String] {
        state.withLock { state in
            defer { state.controls = [:] }
            return state.controls
        }
    }

    var isReopeningRequested: Bool { state.withLock { $0.isReopeningRequested } }

    /// The settings to open the camera with, which are all that is wanted.
    func begin() -> CameraSettings {
        state.withLock { state in
            state.controls = [:]
            state.isReopeningRequested = false
            state.opened = state.settings
            return state.settings
        }
    }

    /// Format, size and rate stay those with which the camera was opened.
    func revertMode() {
        state.withLock { state in
            let video = state.opened.encoding.video
            state.isReopeningRequested = false
            state.settings.format = state.opened.format
            state.settings.encoding.video.width = video.width
            state.settings.encoding.video.height = video.height
            state.settings.encoding.video.frameRate = video.frameRate
        }
    }
}

extension CameraSettings {
    /// Whether a camera that was opened with `other` does for these.
    fileprivate func hasSameMode(as other: Self) -> Bool {
        let (new, old) = (encoding.video, other.encoding.video)
        return format == other.format && new.width == old.width && new.height == old.height
            && new.frameRate == old.frameRate
    }
}
