import MP4
import Media
import Wire

/// How the access units of one track become the payloads of messages.
struct FLVTrack: Sendable {
    let track: Track
    private let framing: Framing
    /// The payload of the message with the decoder configuration.
    let configuration: [UInt8]

    private enum Framing: Sendable {
        /// NAL units behind lengths; `code` is that of enhanced RTMP, or `nil` for H.264 as every player reads it.
        case nalUnits(NALUnitFraming, code: FourCC?)
        case aac
        case opus
    }

    /// The first byte of messages of AAC: SoundFormat 10; the other fields are always those of 44.1 kHz stereo (section E.4.2.1).
    private static let aacHeader: UInt8 = 0xAF
    /// The first byte of messages of enhanced RTMP, without the packet type.
    private static let enhancedAudio: UInt8 = 0x90
    private static let (enhancedKeyframe, enhancedFrame): (UInt8, UInt8) = (0x90, 0xA0)

    /// `nil` if players with these codecs cannot receive the track.
    init?(_ track: Track, _ codecs: EnhancedCodecs) {
        self.track = track
        switch track.format {
        case .h264(let sets):
            guard let record = sets.decoderConfigurationRecord else { return nil }
            framing = .nalUnits(NALUnitFraming(sets, .inBand), code: nil)
            configuration = [0x17, 0, 0, 0, 0] + record
        case .h265(let sets):
            guard codecs.contains(.h265), let record = sets.decoderConfigurationRecord(areComplete: false) else {
                return nil
            }
            framing = .nalUnits(NALUnitFraming(sets, .inBand), code: .hevc)
            configuration = [Self.enhancedKeyframe] + FourCC.hevc.bytes + record
        case .aac(let config):
            framing = .aac
            configuration = [Self.aacHeader, 0] + config.bytes
        case .opus(let channelCount):
            guard codecs.contains(.opus) else { return nil }
            framing = .opus
            configuration = [Self.enhancedAudio] + FourCC.opus.bytes + OpusHead.bytes(channelCount: channelCount)
        case .g711: return nil
        }
    }

    /// The messages of a whole access unit: one, or one for each block of audio; empty if nothing of it can be sent.
    func messages(of unit: AccessUnit) -> [FLVMessage] {
        switch framing {
        case .nalUnits(let nalUnits, let code): video(unit, nalUnits, code).map { [$0] } ?? []
        case .aac: audio(unit, header: [Self.aacHeader, 1])
        case .opus: audio(unit, header: [Self.enhancedAudio | 1] + FourCC.opus.bytes)
        }
    }

    private func video(_ unit: AccessUnit, _ framing: NALUnitFraming, _ code: FourCC?) -> FLVMessage? {
        let byteCount = framing.byteCount(of: unit)
        guard byteCount > 0, byteCount + Self.maximumHeaderByteCount <= MessageType.maximumByteCount else { return nil }
        let decode = unit.decodeTime.milliseconds
        // 24 bits, signed: more than two hours either way.
        let composition = max(-0x80_0000, min(unit.presentationTime.milliseconds - decode, 0x7F_FFFF))
        let payload = [UInt8](capacity: Self.maximumHeaderByteCount + byteCount) { output in
            if let code {
                output.append(repeating: (unit.isKeyframe ? Self.enhancedKeyframe : Self.enhancedFrame) | 1, count: 1)
                output.append(uint32: code.rawValue)
            } else {
                output.append(repeating: unit.isKeyframe ? 0x17 : 0x27, count: 1)
                output.append(repeating: 1, count: 1)
            }
            let time = UInt32(truncatingIfNeeded: composition)
            output.append(repeating: UInt8(truncatingIfNeeded: time >> 16), count: 1)
            output.append(word: UInt16(truncatingIfNeeded: time))
            framing.write(unit, to: &output)
        }
        return FLVMessage(.video, milliseconds: decode, payload: payload)
    }

    /// First byte, FourCC and composition time.
    private static let maximumHeaderByteCount = 8

    private func audio(_ unit: AccessUnit, header: [UInt8]) -> [FLVMessage] {
        var time = unit.presentationTime
        return unit.units.compactMap { range in
            guard header.count + range.count <= MessageType.maximumByteCount else { return nil }
            defer { time.ticks += sampleCount(of: unit.bytes[range]) }
            return FLVMessage(.audio, milliseconds: time.milliseconds, payload: header + unit.bytes[range])
        }
    }

    private func sampleCount(of block: ArraySlice<UInt8>) -> Int64 {
        switch track.format {
        case .aac(let configuration): Int64(configuration.samplesPerFrame)
        case .opus: Int64(Opus.sampleCount(of: block) ?? 0)
        case .h264, .h265, .g711: 0
        }
    }
}

extension MediaTime {
    /// Milliseconds since the epoch, rounded down.
    fileprivate var milliseconds: Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
