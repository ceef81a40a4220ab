import Codecs
import Glibc
import Media

/// The timestamp overlays in an image, compared with the time at which the image was taken.
public struct ScreenshotMeasurement: Sendable {
    public let file: String
    public let width: Int
    public let height: Int
    public let imageTime: ImageTime
    /// From top to bottom; at least one.
    public let findings: [TimestampOverlayReader.Finding]

    /// Reads an image file, which takes some tens of milliseconds.
    ///
    /// - Parameter time: when the image was taken; `nil` for the time in the file.
    public init(of file: String, takenAt time: WrittenTime? = nil) throws(ScreenshotFailure) {
        let content = try ImageFile(file)
        let picture: LumaFrame
        do throws(CodecFailure) {
            picture = try StillImage.decode(content.bytes).luma()
        } catch {
            throw ScreenshotFailure("\(file): \(error.reason)" + (error.remedy.isEmpty ? "" : "; \(error.remedy)"))
        }
        self.file = file
        (width, height) = (picture.width, picture.height)
        findings = picture.timestampOverlays
        guard !findings.isEmpty else {
            throw ScreenshotFailure(
                "\(file): no readable timestamp overlay; the image must show the whole overlay with its white edge, with "
                    + "cells of at least two pixels (docs/timestamp-overlay.md)")
        }
        imageTime = ImageTime(given: time, bytes: content.bytes, modified: content.modified)
    }

    /// Whether a text is the name of an existing or missing file, and not a URL.
    public static func isFile(_ text: String) -> Bool {
        !text.isEmpty
            && (access(text, F_OK) == 0
                || suffixes.contains { text.lowercased().hasSuffix($0) && !text.contains("://") })
    }

    private static let suffixes = [".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".ppm", ".pgm"]

    /// Nanoseconds from the capture of the frame with this overlay until the image was taken. This is a lower bound, because the
    /// time of the image is rounded down.
    public func delay(of code: TimestampOverlay) -> Int64 {
        imageTime.time.unixNanoseconds - code.unixNanoseconds
    }
}

/// Why an image cannot be measured, with a remedy.
public struct ScreenshotFailure: Error, CustomStringConvertible, Sendable {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// An image file in memory.
private struct ImageFile {
    let bytes: [UInt8]
    let modified: WrittenTime

    /// The size of an uncompressed image of 16384×16384.
    private static let mostBytes = 1 << 30

    init(_ path: String) throws(ScreenshotFailure) {
        // O_NONBLOCK, because opening a fifo would block.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ScreenshotFailure("\(path) is not a file; name an image")
        }
        guard status.st_size <= Self.mostBytes else { throw ScreenshotFailure("\(path) is too large for an image") }
        // From 1970 to 2255: no number of nanoseconds overflows.
        let seconds = min(max(Int64(status.st_mtim.tv_sec), 0), 9_000_000_000)
        let modified = seconds * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        self.modified = WrittenTime(unixNanoseconds: modified, resolution: 1)
        var isComplete = true
        bytes = Array(unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            while count < buffer.count {
                let taken = read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                if taken < 0 { isComplete = false }
                if taken <= 0 { break }
                count += taken
            }
        }
        if !isComplete { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> ScreenshotFailure {
        ScreenshotFailure("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
