import Media
import NIOCore

/// The tracks that `moov` describes.
struct MovieTracks {
    struct Track: Equatable {
        var number: UInt32 = 0
        var rate = ClockRate.video
        var isVideo = false
    }

    private(set) var tracks: [Track] = []

    /// - Parameter content: the content of `moov`.
    init(_ content: ByteBuffer) throws(MP4Failure) {
        var content = content
        while let (type, box) = try content.readBox() {
            guard type == "trak" else { continue }
            var track = Track()
            try Self.read(box, into: &track)
            tracks.append(track)
        }
    }

    private static func read(_ content: ByteBuffer, into track: inout Track) throws(MP4Failure) {
        var content = content
        while let (type, content) = try content.readBox() {
            var box = content
            // In version 1, both times are longer.
            switch type {
            case "mdia": try read(box, into: &track)
            case "tkhd":
                let skipped = box.readInteger(as: UInt32.self).map { $0 >> 24 == 1 ? 16 : 8 }
                guard let skipped, box.readBytes(length: skipped) != nil, let number = box.readInteger(as: UInt32.self)
                else { throw .box(type) }
                track.number = number
            case "mdhd":
                let skipped = box.readInteger(as: UInt32.self).map { $0 >> 24 == 1 ? 16 : 8 }
                guard let skipped, box.readBytes(length: skipped) != nil,
                    let ticks = box.readInteger(as: Int32.self), let rate = ClockRate(hertz: ticks)
                else { throw .box(type) }
                track.rate = rate
            case "hdlr":
                guard box.readInteger(as: UInt64.self) != nil, let handler = box.readString(length: 4) else {
                    throw .box(type)
                }
                track.isVideo = handler == "vide"
            default: break
            }
        }
    }
}
