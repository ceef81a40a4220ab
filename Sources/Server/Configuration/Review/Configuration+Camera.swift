extension Configuration {
    /// Notes camera settings on paths that cannot have a camera.
    func noteCameras(in reading: inout Reading) {
        for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
            guard let reason = path.source.reasonAgainstCamera else { continue }
            for key in path.camera.keys(changedSince: Camera()) {
                reading.note(reason, with: .root + "paths" + name + "camera" + key)
            }
        }
    }
}

extension Configuration.Path {
    /// Notes camera settings that differ from `before` although the source is not a camera.
    func noteCamera(since before: Self, in reading: inout Reading) {
        let keys = camera.keys(changedSince: before.camera)
        guard !keys.isEmpty, let reason = source.reasonAgainstCamera ?? source.reasonAgainstCameraOnThisHost else {
            return
        }
        for key in keys { reading.note(reason, with: .root + "camera" + key) }
    }
}

extension Configuration.Camera {
    /// The options that differ from those of `before`, such as `format` and `controls.gain`.
    func keys(changedSince before: Self) -> [String] {
        let names = Set(controls.keys).union(before.controls.keys).sorted()
        return (format == before.format ? [] : ["format"])
            + names.filter { controls[$0] != before.controls[$0] }.map { "controls.\($0)" }
    }
}

extension SourceSpecification {
    /// Why the source has no camera settings; `nil` for a path in the file system, which may be a camera.
    var reasonAgainstCamera: String? {
        switch self {
        case .testCard, .standardInput, .substream, .pulled, .pulledRTMP, .pulledSRT, .url, .publish, .track:
            "the source is \(self), which is not a camera, so it has no camera settings"
        case .path: nil
        }
    }

    /// Why the path in the file system is not a camera; `nil` if it is one, or if it does not exist. Reads the file system.
    var reasonAgainstCameraOnThisHost: String? {
        // Without a file there is no contradiction; the missing file is reported elsewhere.
        guard case .path(let path) = self, let kind = try? InputKind(of: path), kind != .camera else { return nil }
        return
            "the source is \(kind == .pipe ? "a fifo or another device" : "a file"), not a camera, so it has no camera settings"
    }
}
