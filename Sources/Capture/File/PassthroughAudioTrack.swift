import Media
import Muxing
import Streams

/// Passes audio through unchanged: AAC without ADTS headers, Opus, and G.711 in units that fit a packet.
final class PassthroughAudioTrack: FileTrack {
    let track: Track
    private let isADTS: Bool
    private var offset: Int64 = 0
    private var next: Int64 = 0

    init(_ format: Track.Format, isADTS: Bool = false, id: TrackID) {
        track = Track(id: id, format: format)
        self.isADTS = isADTS
    }

    func beginPass(offset: Int64) {
        self.offset = offset
        next = 0
    }

    func endPass() -> [TimedUnit] { [] }

    func units(of packet: DemuxedPacket) -> [TimedUnit] {
        var bytes = packet.bytes
        if isADTS {
            guard let header = AAC.ADTSHeader(parsing: bytes), header.frameLength <= bytes.count else { return [] }
            bytes = Array(bytes[header.byteCount..<header.frameLength])
        }
        guard !bytes.isEmpty else { return [] }
        let start = packet.decode ?? packet.presentation ?? next
        next = start
        return accessUnits(in: bytes).map { unit, sampleCount in
            let duration = track.clockRate.nanoseconds(inTicks: Int64(sampleCount))
            defer { next = next &+ duration }
            return TimedUnit(
                track: track.id, decode: next &+ offset, presentation: next &+ offset, duration: duration,
                isKeyframe: true, units: [unit])
        }
    }

    /// The access units of a packet, with the samples of each channel.
    private func accessUnits(in bytes: [UInt8]) -> [([UInt8], sampleCount: Int)] {
        switch track.format {
        case .h264, .h265: return []
        // All access units have the same number of samples. A shorter last one in a container is an editing mark.
        case .aac: return [(bytes, AAC.samplesPerAccessUnit)]
        case .opus: return Opus.sampleCount(of: bytes).map { [(bytes, $0)] } ?? []
        case .g711(let format):
            return stride(from: 0, to: bytes.count, by: format.maximumUnitByteCount).map { start in
                let unit = Array(bytes[start..<min(start + format.maximumUnitByteCount, bytes.count)])
                return (unit, unit.count / format.channelCount)
            }
        }
    }
}
