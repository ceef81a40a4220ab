import Media
import NIOCore

/// Reads an endless MP4 file as it arrives, in pieces of any length. It keeps boxes until they are complete, but no media data.
///
/// A fragment is `prft` (if the server states capture times), `moof` and `mdat`; it is complete with the last byte of `mdat`.
struct FragmentReader {
    /// What a file consists of.
    enum Element: Equatable {
        /// An init segment with these tracks.
        case tracks([MovieTracks.Track])
        case fragment(Fragment)
    }

    /// The samples of one track in one fragment.
    struct Fragment: Equatable {
        /// The index of the track in the init segment.
        let track: Int
        /// When the first sample is decoded, in ticks of the track.
        let decodeTime: UInt64
        /// Ticks of all samples; 0 if the fragment does not say.
        let duration: UInt64
        let isKeyframe: Bool
        /// When the first sample was captured, in nanoseconds since 1970; `nil` if the fragment does not say.
        let captured: Int64?
        /// Bytes of all boxes since the fragment before; 0 if this is not the first track of the fragment.
        let byteCount: Int
    }

    /// The tracks of the last init segment.
    private var tracks: [MovieTracks.Track] = []
    /// A box that is not complete.
    private var pending = ByteBuffer()
    /// Bytes of `mdat` that have not arrived.
    private var missingByteCount = 0
    private var captured: (track: UInt32, unixNanoseconds: Int64)?
    private var runs: [MovieFragment.Run] = []
    /// Bytes of the boxes that belong to no fragment yet.
    private var byteCount = 0

    /// The longest box that is kept: an init segment has less than 10 KB.
    private static let mostByteCount = 1 << 20

    /// Reads the next piece.
    ///
    /// - Parameter complete: is called for each init segment, and for each track of each fragment, that this piece completes.
    mutating func read(_ piece: ByteBuffer, _ complete: (Element) -> Void) throws(MP4Failure) {
        var bytes = piece
        if pending.readableBytes > 0 {
            pending.writeImmutableBuffer(piece)
            bytes = pending
            pending.clear()
        }
        while bytes.readableBytes > 0 {
            if missingByteCount > 0 {
                let taken = min(missingByteCount, bytes.readableBytes)
                bytes.moveReaderIndex(forwardBy: taken)
                missingByteCount -= taken
                if missingByteCount == 0 { try finish(complete) }
            } else if try !readBox(&bytes, complete) {
                pending = bytes
                return
            }
        }
    }

    /// - Returns: false if the box is not complete. Nothing was read then.
    private mutating func readBox(_ bytes: inout ByteBuffer, _ complete: (Element) -> Void) throws(MP4Failure) -> Bool {
        guard let head = try BoxHead(bytes) else { return false }
        byteCount += head.byteCount
        if head.type == "mdat" {
            bytes.moveReaderIndex(forwardBy: head.headByteCount)
            missingByteCount = head.byteCount - head.headByteCount
            if missingByteCount == 0 { try finish(complete) }
            return true
        }
        guard head.byteCount <= Self.mostByteCount else { throw .box(head.type) }
        guard var box = bytes.readSlice(length: head.byteCount) else {
            byteCount -= head.byteCount
            return false
        }
        box.moveReaderIndex(forwardBy: head.headByteCount)
        switch head.type {
        case "moov":
            tracks = try MovieTracks(box).tracks
            complete(.tracks(tracks))
        case "prft": captured = try Self.referenceTime(box)
        case "moof": runs = try MovieFragment(box).runs
        default: break
        }
        return true
    }

    private mutating func finish(_ complete: (Element) -> Void) throws(MP4Failure) {
        defer { (captured, runs) = (nil, []) }
        for run in runs {
            guard let index = tracks.firstIndex(where: { $0.number == run.track }) else {
                throw .unknownTrack(run.track)
            }
            let fragment = Fragment(
                track: index, decodeTime: run.decodeTime, duration: run.duration,
                isKeyframe: run.isSync || !tracks[index].isVideo,
                captured: captured.flatMap { $0.track == run.track ? $0.unixNanoseconds : nil }, byteCount: byteCount)
            byteCount = 0
            complete(.fragment(fragment))
        }
    }

    /// `prft`: version and flags, reference_track_ID, NTP time.
    private static func referenceTime(_ content: ByteBuffer) throws(MP4Failure) -> (UInt32, Int64) {
        var content = content
        guard content.readInteger(as: UInt32.self) != nil, let track = content.readInteger(as: UInt32.self),
            let time = content.readInteger(as: UInt64.self)
        else { throw .box("prft") }
        return (track, NTPTime(rawValue: time).unixNanoseconds)
    }
}
