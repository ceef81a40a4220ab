extension Configuration {
    /// Notes settings of a camera on paths whose source cannot be a camera.
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
    /// Notes settings of the camera that differ from `before` though the source is no camera.
    func noteCamera(since before: Self, in reading: inout Reading) {
        let keys = camera.keys(changedSince: before.camera)
        guard !keys.isEmpty, let reason = source.reasonAgainstCamera ?? source.reasonAgainstCameraOnThisHost else {
            return
        }
        for key in keys { reading.note(reason, with: .root + "camera" + key) }
    }
}

extension Configuration.Camera {
    /// The options that differ from those of `before`, as `format` and `controls.gain`.
    func keys(changedSince before: Self) -> [String] {
        let names = Set(controls.keys).union(before.controls.keys).sorted()
        return (format == before.format ? [] : ["format"])
            + names.filter { controls[$0] != before.controls[$0] }.map { "controls.\($0)" }
    }
}

extension SourceSpecification {
    /// Why the source has no camera to adjust; `nil` for a path in the file system, which may be a camera.
    var reasonAgainstCamera: String? {
        switch self {
        case .testCard, .standardInput, .substream:
            "the source is \(self), which is not a camera: there is nothing to adjust"
        case .path: nil
        }
    }

    /// Why the path in the file system is no camera; `nil` if it is one, or if nothing is there. Looks at the file system.
    var reasonAgainstCameraOnThisHost: String? {
        // Without a file there is no contradiction; the missing file is reported elsewhere.
        guard case .path(let path) = self, let kind = try? InputKind(of: path), kind != .camera else { return nil }
        return
            "the source is \(kind == .pipe ? "a fifo or a device that is not a camera" : "a file"): there is nothing to adjust"
    }
}
