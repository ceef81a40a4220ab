import Media

/// The codec of an audio or video message.
enum TagCodec: Hashable, Sendable {
    case h264
    case h265
    case aac
    case opus
    /// A codec that is not received, by its name.
    case unsupported(String)

    /// From the FourCC of a message of this kind, which may have only codecs of its kind.
    init(_ code: FourCC, _ kind: Codec.Kind) {
        self =
            switch (code, kind) {
            case (.avc, .video): .h264
            case (.hevc, .video): .h265
            case (.aac, .audio): .aac
            case (.opus, .audio): .opus
            default: .unsupported(Self.names[code.text] ?? "FourCC \(code.text)")
            }
    }

    /// From CodecID of a video message without FourCC (Adobe Flash Video File Format, section E.4.3.1). 12 is H.265 as Chinese
    /// services and encoders agreed on before enhanced RTMP.
    init(videoCodecID: UInt8) {
        self =
            switch videoCodecID {
            case 2: .unsupported("Sorenson H.263")
            case 3, 6: .unsupported("Screen Video")
            case 4, 5: .unsupported("On2 VP6")
            case 7: .h264
            case 12: .h265
            default: .unsupported("video codec \(videoCodecID)")
            }
    }

    /// From SoundFormat of an audio message without FourCC (section E.4.2.1).
    init(soundFormat: UInt8) {
        self =
            switch soundFormat {
            case 0, 3: .unsupported("PCM")
            case 1: .unsupported("ADPCM")
            case 2, 14: .unsupported("MP3")
            case 4, 5, 6: .unsupported("Nellymoser")
            case 7, 8: .unsupported("G.711")
            case 10: .aac
            case 11: .unsupported("Speex")
            default: .unsupported("audio codec \(soundFormat)")
            }
    }

    private static let names = [
        "av01": "AV1", "vp08": "VP8", "vp09": "VP9", "vvc1": "H.266", "fLaC": "FLAC", "ac-3": "AC-3", "ec-3": "E-AC-3",
        ".mp3": "MP3",
    ]
}
