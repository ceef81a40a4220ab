import HTTP
import HTTPServer

/// The width of a snapshot: one of a few, so that clients share images.
struct SnapshotWidth: Hashable {
    /// In pixels; `nil` for that of the frame.
    let pixels: Int?

    static let full = Self(pixels: nil)

    /// The widths that are made, beside that of the frame.
    private static let choices = [160, 320, 640, 1280]
    /// No video is wider.
    private static let maximum = 16_384

    private init(pixels: Int?) { self.pixels = pixels }

    /// The smallest width that is at least the one that `?width=` asks for.
    init(_ query: Query) throws(Problem) {
        guard let text = query["width"] else {
            self = .full
            return
        }
        guard let wanted = Int(text), (1...Self.maximum).contains(wanted) else {
            throw Problem(.badRequest, "width is a number of pixels, from 1 to \(Self.maximum)")
        }
        self.init(pixels: Self.choices.first { $0 >= wanted })
    }
}
