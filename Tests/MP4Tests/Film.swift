import Media
import Muxing
import TestSupport

/// The access units of a video file, in decoding order.
struct Film {
    let tracks: [Track]
    let units: [AccessUnit]

    init(_ path: String) throws {
        let demuxer = try Demuxer(.file(path))
        let formats = try demuxer.tracks.map(Self.format)
        let tracks = formats.enumerated().map { Track(id: TrackID($0), format: $1.format) }
        var units: [AccessUnit] = []
        while let packet = try demuxer.next() {
            guard let index = demuxer.tracks.firstIndex(where: { $0.index == packet.track }) else { continue }
            units.append(Self.unit(packet, of: tracks[index], lengthSize: formats[index].lengthSize))
        }
        self.tracks = tracks
        self.units = units.enumerated().sorted {
            ($0.element.decodeTime.nanoseconds, $0.offset) < ($1.element.decodeTime.nanoseconds, $1.offset)
        }.map(\.element)
    }

    private static func format(_ track: DemuxedTrack) throws -> (format: Track.Format, lengthSize: Int?) {
        switch track.format {
        case .h264(let sets, let size): (.h264(sets), size)
        case .h265(let sets, let size): (.h265(sets), size)
        case .aac(let configuration, _): (.aac(configuration), nil)
        case .opus(let channelCount): (.opus(channelCount: channelCount), nil)
        default: throw Command.Failure.cannotStart("a file with other codecs")
        }
    }

    private static func unit(_ packet: DemuxedPacket, of track: Track, lengthSize: Int?) -> AccessUnit {
        let nalUnits = lengthSize.map {
            H264.LengthPrefixed.units(in: packet.bytes, lengthSize: $0).ranges.map { Array(packet.bytes[$0]) }
        }
        // One nanosecond, because of rounding.
        func time(_ nanoseconds: Int64?) -> MediaTime {
            MediaTime(nanoseconds: (nanoseconds ?? 0) + 1, rate: track.clockRate)
        }
        return AccessUnit(
            track: track.id, presentationTime: time(packet.presentation),
            decodeTime: time(packet.decode ?? packet.presentation),
            isKeyframe: nalUnits?.contains { isRandomAccessPoint($0, track.codec) } ?? true,
            nalUnits: nalUnits ?? [packet.bytes])
    }

    private static func isRandomAccessPoint(_ unit: [UInt8], _ codec: Codec) -> Bool {
        codec == .h264 ? AnnexB.type(of: unit) == 5 : H265.NALUnitType(firstByte: unit[0]).isRandomAccessPoint
    }
}
