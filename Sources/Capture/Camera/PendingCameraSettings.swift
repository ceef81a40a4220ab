import Synchronization

/// The latest settings of a camera, and which changes the running capture has not applied yet. Usable from any thread.
final class PendingCameraSettings: Sendable {
    private struct State {
        var settings: CameraSettings
        /// The settings with which the camera was last opened.
        var opened: CameraSettings
        var controls: [String: String] = [:]
        var isReopeningRequested = false
    }

    private let state: Mutex<State>

    init(_ settings: CameraSettings) {
        state = Mutex(State(settings: settings, opened: settings))
    }

    var settings: CameraSettings { state.withLock { $0.settings } }

    /// Stores the settings and what differs from the previous ones: controls are set on the open camera; another format, size or
    /// frame rate requires reopening. The encoder handles changes of the encoding.
    func change(to new: CameraSettings) {
        state.withLock { state in
            let old = state.settings
            state.settings = new
            state.isReopeningRequested = state.isReopeningRequested || !new.hasSameMode(as: old)
            for (name, value) in new.controls where old.controls[name] != value { state.controls[name] = value }
        }
    }

    /// Returns the controls that have not been set yet, by name, and removes them.
    func takeControls() -> [String: String] {
        state.withLock { state in
            defer { state.controls = [:] }
            return state.controls
        }
    }

    var isReopeningRequested: Bool { state.withLock { $0.isReopeningRequested } }

    /// Returns the settings to open the camera with; nothing is pending afterwards.
    func begin() -> CameraSettings {
        state.withLock { state in
            state.controls = [:]
            state.isReopeningRequested = false
            state.opened = state.settings
            return state.settings
        }
    }

    /// Reverts format, size and frame rate to those with which the camera was opened.
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
    /// Whether a camera that was opened with `other` has the right mode for these settings.
    fileprivate func hasSameMode(as other: Self) -> Bool {
        let (new, old) = (encoding.video, other.encoding.video)
        return format == other.format && new.width == old.width && new.height == old.height
            && new.frameRate == old.frameRate
    }
}
