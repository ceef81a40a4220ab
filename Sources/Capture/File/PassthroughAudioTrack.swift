import Media
import Muxing
import Streams

/// Passes AAC through unchanged, without ADTS headers.
final class PassthroughAudioTrack: FileTrack {
    let track: Track
    private let isADTS: Bool
    private var offset: Int64 = 0
    private var next: Int64 = 0

    init(_ configuration: AAC.AudioSpecificConfig, isADTS: Bool, id: TrackID) {
        track = Track(id: id, format: .aac(configuration))
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
        // All access units have the same number of samples. A shorter last one in a container is an editing mark.
        let duration = track.clockRate.nanoseconds(inTicks: Int64(AAC.samplesPerAccessUnit))
        next = start &+ duration
        return [
            TimedUnit(
                track: track.id, decode: start &+ offset, presentation: start &+ offset, duration: duration,
                isKeyframe: true, units: [bytes])
        ]
    }
}
