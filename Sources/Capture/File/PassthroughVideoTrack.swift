import Media
import Muxing
import Streams

/// Passes H.264 and H.265 through unchanged: removes length fields and start codes, and keeps all NAL units in decoding order.
final class PassthroughVideoTrack: FileTrack {
    private(set) var track: Track
    private let lengthSize: Int?
    private let containerInterval: Int64?
    private let usesContainerTimes: Bool
    private var reader: any PictureReader
    private var offset: Int64 = 0
    private var lastDecode: Int64?
    /// Added to all presentation times, so that none is before its decode time.
    private var shift: Int64 = 0

    init(
        _ source: DemuxedTrack, _ format: Track.Format, _ reader: any PictureReader, lengthSize: Int?, id: TrackID,
        hasTimes: Bool
    ) {
        track = Track(id: id, format: format)
        self.reader = reader
        self.lengthSize = lengthSize
        containerInterval = source.frameNanoseconds
        usesContainerTimes = hasTimes
    }

    func beginPass(offset: Int64) {
        self.offset = offset
        lastDecode = nil
        reader.beginPass()
    }

    func endPass() -> [TimedUnit] { [] }

    func units(of packet: DemuxedPacket) -> [TimedUnit] {
        let units = nalUnits(packet.bytes)
        guard !units.isEmpty else { return [] }
        if let known = reader.learned(from: units) { track.format = known }
        let picture = reader.picture(of: units)
        let interval = interval(picture)
        let duration = packet.duration > 0 && usesContainerTimes ? packet.duration : interval
        let (decode, presentation) = times(of: packet, picture, interval)
        return [
            TimedUnit(
                track: track.id, decode: decode &+ offset, presentation: presentation &+ offset, duration: duration,
                isKeyframe: picture.isKeyframe, units: picture.isKeyframe ? reader.completed(units) : units)
        ]
    }

    private func nalUnits(_ bytes: [UInt8]) -> [[UInt8]] {
        if let lengthSize {
            return H264.LengthPrefixed.units(in: bytes, lengthSize: lengthSize).ranges.map { Array(bytes[$0]) }
        }
        var splitter = H264.AnnexBSplitter()
        splitter.push(bytes)
        var units: [[UInt8]] = []
        while let unit = splitter.next() ?? splitter.flush() { units.append(unit) }
        return units
    }

    /// The frame interval: from the container, otherwise from the stream, otherwise 25 per second. If the container has no times,
    /// only the stream counts.
    private func interval(_ picture: Picture) -> Int64 {
        let own = picture.interval
        return (usesContainerTimes ? containerInterval ?? own : own) ?? PipeTimeline.defaultInterval
    }

    /// The times on the file's timeline; a presentation time is never before its decode time.
    private func times(
        of packet: DemuxedPacket, _ picture: Picture, _ interval: Int64
    ) -> (decode: Int64, presentation: Int64) {
        let fields = picture.fields
        let next = lastDecode.map { $0 &+ interval } ?? 0
        let stated = usesContainerTimes ? packet.decode ?? (fields == 0 ? packet.presentation : nil) : nil
        let decode = stated ?? next
        lastDecode = decode
        let shown = usesContainerTimes ? packet.presentation : nil
        guard let shown else { return (decode, decode &+ Int64(fields) * interval / 2) }
        // The demuxer limits the times, so the difference cannot overflow. A damaged time must not shift all following ones.
        if decode > shown, decode &- shown < 2_000_000_000 { shift = max(shift, decode &- shown) }
        return (decode, max(decode, shown &+ shift))
    }
}
