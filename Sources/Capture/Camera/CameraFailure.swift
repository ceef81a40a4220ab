import Glibc
import Streams

/// Why a camera cannot be used, and how the user can fix it.
enum CameraFailure {
    /// The device node at `path` could not be opened; `code` is the errno.
    static func openFailed(_ path: String, code: CInt) -> SourceFailure {
        switch code {
        case ENOENT, ENODEV, ENXIO: missing(path)
        case EACCES, EPERM: forbidden(path)
        case EBUSY: busy(path)
        default:
            SourceFailure(
                reason: "\(path) cannot be opened: \(errorText(code))",
                remedy: "plug the camera in again, or see `dmesg`")
        }
    }

    /// The driver could not do `what`; `code` is the errno.
    static func operationFailed(_ path: String, _ what: String, code: CInt) -> SourceFailure {
        switch code {
        case EBUSY: busy(path)
        case ENODEV, EIO, ENXIO, EPIPE, EPROTO:
            SourceFailure(
                reason: "\(path) has failed or was unplugged: \(errorText(code))",
                remedy: "plug it in again; the stream continues automatically")
        case ENOSPC:
            SourceFailure(
                reason: "\(path) cannot \(what): the USB bus has no bandwidth left",
                remedy: "plug it into another USB controller, or ask for a smaller size or a lower rate")
        default:
            SourceFailure(
                reason: "\(path) cannot \(what): \(errorText(code))", remedy: "see `apus devices` for what it can do")
        }
    }

    /// The device node is not a camera but, for example, a video output or a camera's metadata node.
    static func notACamera(_ path: String) -> SourceFailure {
        SourceFailure(
            reason: "\(path) is not a camera: it cannot capture video",
            remedy: "choose another device; `apus devices` lists the cameras")
    }

    /// The camera offers no format that Apus reads, or not the format `wanted`.
    static func noFormat(_ path: String, _ codes: [FourCharacterCode], wanted: String? = nil) -> SourceFailure {
        let list = codes.map(\.description).joined(separator: ", ")
        if let wanted {
            return SourceFailure(
                reason: "\(path) does not offer \(wanted), or Apus does not support that format",
                remedy: "choose one of \(list)")
        }
        return SourceFailure(
            reason: "\(path) offers no format that Apus supports; it offers \(list.isEmpty ? "none" : list)",
            remedy: "use a pipe instead: rpicam-vid -t 0 --inline -o - | apus serve -")
    }

    /// The camera has delivered no frame for `seconds`.
    static func noFrames(_ path: String, seconds: Int) -> SourceFailure {
        SourceFailure(
            reason: "\(path) has delivered no frame for \(seconds) s",
            remedy: "plug the camera in again, or ask for a smaller size or a lower rate")
    }

    private static func missing(_ path: String) -> SourceFailure {
        let others = cameraNodes().filter { $0 != path }
        let remedy = others.isEmpty ? "connect a camera" : "connect it, or use \(others.joined(separator: " or "))"
        return SourceFailure(reason: "there is no camera at \(path)", remedy: remedy)
    }

    private static func forbidden(_ path: String) -> SourceFailure {
        var status = stat()
        let group = stat(path, &status) == 0 ? groupName(status.st_gid) : "video"
        return SourceFailure(
            reason: "no permission to open \(path), which belongs to the group \(group)",
            remedy: "add yourself to the group (sudo usermod -aG \(group) $USER) and log in again")
    }

    private static func busy(_ path: String) -> SourceFailure {
        let holders = DeviceHolder.all(of: path)
        let names = holders.map { "\($0.name) (process \($0.process))" }.joined(separator: ", ")
        return SourceFailure(
            reason: "\(path) is in use" + (names.isEmpty ? " by another process" : " by \(names)"),
            remedy: "close that program; the stream then starts automatically")
    }

    private static func groupName(_ id: gid_t) -> String {
        guard let entry = getgrgid(id), let name = entry.pointee.gr_name else { return "\(id)" }
        return String(cString: name)
    }

    private static func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }
}
