import Glibc
import Streams

/// Why a camera cannot be used, and what its owner can do about it.
enum CameraFailure {
    /// The node at `path` could not be opened, for `code` (an errno).
    static func opening(_ path: String, code: CInt) -> SourceFailure {
        switch code {
        case ENOENT, ENODEV, ENXIO: missing(path)
        case EACCES, EPERM: forbidden(path)
        case EBUSY: busy(path)
        default:
            SourceFailure(
                reason: "\(path) cannot be opened: \(words(code))", remedy: "plug the camera in again, or see `dmesg`")
        }
    }

    /// The driver refused to do `what`, for `code` (an errno).
    static func refusal(_ path: String, _ what: String, code: CInt) -> SourceFailure {
        switch code {
        case EBUSY: busy(path)
        case ENODEV, EIO, ENXIO, EPIPE, EPROTO:
            SourceFailure(
                reason: "\(path) has failed or was unplugged: \(words(code))",
                remedy: "plug it in again; the stream goes on by itself")
        case ENOSPC:
            SourceFailure(
                reason: "\(path) cannot \(what): the USB bus has no bandwidth left",
                remedy: "plug it into another USB controller, or ask for a smaller size or a lower rate")
        default:
            SourceFailure(
                reason: "\(path) cannot \(what): \(words(code))", remedy: "see `apus devices` for what it can do")
        }
    }

    /// What is there is no camera: an output, or the node with a camera's metadata.
    static func noCamera(_ path: String) -> SourceFailure {
        SourceFailure(
            reason: "\(path) is no camera: it captures no pictures",
            remedy: "take another: `apus devices` lists the cameras")
    }

    /// None of its formats can be read, or not the one that was `wanted`.
    static func noFormat(_ path: String, _ codes: [FourCharacterCode], wanted: String? = nil) -> SourceFailure {
        let list = codes.map(\.description).joined(separator: ", ")
        if let wanted {
            return SourceFailure(
                reason: "\(path) does not offer \(wanted), or Apus does not read it", remedy: "choose one of \(list)")
        }
        return SourceFailure(
            reason: "\(path) offers no format that Apus reads, only \(list.isEmpty ? "none at all" : list)",
            remedy: "pipe it: rpicam-vid -t 0 --inline -o - | apus serve -")
    }

    /// It has delivered nothing for so long.
    static func silent(_ path: String, seconds: Int) -> SourceFailure {
        SourceFailure(
            reason: "\(path) has delivered no picture for \(seconds) s",
            remedy: "plug the camera in again, or ask for a smaller size or a lower rate")
    }

    private static func missing(_ path: String) -> SourceFailure {
        let others = cameraNodes().filter { $0 != path }
        let remedy = others.isEmpty ? "plug a camera in" : "plug it in, or take \(others.joined(separator: " or "))"
        return SourceFailure(reason: "there is no camera at \(path)", remedy: remedy)
    }

    private static func forbidden(_ path: String) -> SourceFailure {
        var status = stat()
        let group = stat(path, &status) == 0 ? groupName(status.st_gid) : "video"
        return SourceFailure(
            reason: "no right to open \(path), which is for the group \(group)",
            remedy: "join it: sudo usermod -aG \(group) $USER, and log in again")
    }

    private static func busy(_ path: String) -> SourceFailure {
        let holders = DeviceHolder.all(of: path)
        let names = holders.map { "\($0.name) (process \($0.process))" }.joined(separator: ", ")
        return SourceFailure(
            reason: "\(path) is in use" + (names.isEmpty ? " by another process" : " by \(names)"),
            remedy: "end that, and the stream begins by itself")
    }

    private static func groupName(_ id: gid_t) -> String {
        guard let entry = getgrgid(id), let name = entry.pointee.gr_name else { return "\(id)" }
        return String(cString: name)
    }

    private static func words(_ code: CInt) -> String { String(cString: strerror(code)) }
}
