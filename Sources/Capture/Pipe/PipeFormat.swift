import Streams

/// A format other than H.264 in Annex B format, recognised by the first bytes of a pipe's input. libavformat reads it.
enum PipeFormat: String, CaseIterable, Hashable, Sendable {
    case mpegTS = "MPEG-TS"
    case programStream = "an MPEG program stream"
    case mp4 = "MP4"
    case matroska = "Matroska or WebM"
    case flv = "FLV"
    case avi = "AVI"
    case h265 = "H.265 (HEVC)"
    case mpegVideo = "MPEG-1, MPEG-2 or MPEG-4 Part 2 video"
    case ivf = "IVF (VP8, VP9 or AV1)"
    case ogg = "Ogg"
    case jpeg = "JPEG images (MJPEG)"
    case y4m = "uncompressed video (YUV4MPEG2)"
    case wav = "WAV"
    case aac = "AAC"

    /// The number of bytes after which every format is recognised.
    static let sufficientByteCount = 2_048

    /// The format with a signature that matches `bytes`, the start of the input; `nil` if none matches.
    init?(beginning bytes: [UInt8]) {
        if let format = Self.signatures.first(where: { $0.isAt(its: bytes) })?.format {
            self = format
        } else if Self.isTransportStream(bytes) {
            self = .mpegTS
        } else if Self.hasHEVCParameterSets(bytes) {
            self = .h265
        } else if Self.isADTS(bytes) {
            self = .aac
        } else {
            return nil
        }
    }
}

// MARK: - Signatures

extension PipeFormat {
    private struct Signature {
        let format: PipeFormat
        let text: [UInt8]
        var offset = 0

        func isAt(its bytes: [UInt8]) -> Bool {
            bytes.count >= offset + text.count && Array(bytes[offset..<(offset + text.count)]) == text
        }
    }

    /// Every signature has at least three bytes, with which neither a NAL unit nor its start code begins.
    private static let signatures: [Signature] =
        ["ftyp", "styp", "moov", "moof", "mdat"].map { Signature(format: .mp4, text: Array($0.utf8), offset: 4) } + [
            Signature(format: .matroska, text: [0x1A, 0x45, 0xDF, 0xA3]),
            Signature(format: .flv, text: Array("FLV".utf8)),
            Signature(format: .avi, text: Array("AVI ".utf8), offset: 8),
            Signature(format: .wav, text: Array("WAVE".utf8), offset: 8),
            Signature(format: .ogg, text: Array("OggS".utf8)),
            Signature(format: .ivf, text: Array("DKIF".utf8)),
            Signature(format: .y4m, text: Array("YUV4MPEG2".utf8)),
            Signature(format: .jpeg, text: [0xFF, 0xD8, 0xFF]),
            // pack_start_code (ISO/IEC 13818-1, 2.5.3.3). All of these have the bit set that must be 0 in an H.264 NAL unit.
            Signature(format: .programStream, text: [0, 0, 1, 0xBA]),
            // sequence_header_code (ISO/IEC 13818-2), visual_object_sequence_start_code (ISO/IEC 14496-2).
            Signature(format: .mpegVideo, text: [0, 0, 1, 0xB3]),
            Signature(format: .mpegVideo, text: [0, 0, 1, 0xB0]),
        ]

    /// Four sync bytes, each 188 bytes after the one before (ISO/IEC 13818-1, 2.4.3.2), at any start position: by chance once
    /// in 20 million.
    private static func isTransportStream(_ bytes: [UInt8]) -> Bool {
        let (length, sync, packets) = (188, UInt8(0x47), 4)
        guard bytes.count > (packets - 1) * length else { return false }
        let starts = 0..<min(length, bytes.count - (packets - 1) * length)
        return starts.contains { start in (0..<packets).allSatisfy { bytes[start + $0 * length] == sync } }
    }

    /// A VPS, nal_unit_type 32 of layer 0 (ITU-T H.265, 7.3.1.2), which in H.264 would be a NAL unit of the unspecified type 0.
    private static func hasHEVCParameterSets(_ bytes: [UInt8]) -> Bool {
        let parameterSet: [UInt8] = [0, 0, 1, 0x40, 0x01]
        guard bytes.count >= parameterSet.count else { return false }
        return (0...(bytes.count - parameterSet.count)).contains {
            Array(bytes[$0..<($0 + parameterSet.count)]) == parameterSet
        }
    }

    /// Two frames, the second of which begins at the end of the first (ISO/IEC 14496-3, 1.A.2.2).
    private static func isADTS(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 7, isSync(bytes, at: 0) else { return false }
        let length = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5]) >> 5
        return length > 7 && isSync(bytes, at: length)
    }

    private static func isSync(_ bytes: [UInt8], at index: Int) -> Bool {
        index + 1 < bytes.count && bytes[index] == 0xFF && bytes[index + 1] & 0xF6 == 0xF0
    }
}
