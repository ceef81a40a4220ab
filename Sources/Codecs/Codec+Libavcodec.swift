import CFFmpeg
import Media

extension Codec {
    /// libavcodec's number of the codec.
    var libavcodecID: AVCodecID {
        avcodec_descriptor_get_by_name(facts.libavcodecName)?.pointee.id ?? AV_CODEC_ID_NONE
    }

    /// libavcodec's kind of the codec.
    var libavcodecType: AVMediaType {
        switch facts.kind {
        case .video: AVMEDIA_TYPE_VIDEO
        case .audio: AVMEDIA_TYPE_AUDIO
        }
    }
}
