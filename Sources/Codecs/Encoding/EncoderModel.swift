import CFFmpeg
import Media

/// The properties of one video encoder of libavcodec: its input formats and its abilities.
struct EncoderModel: Sendable {
    /// The pixel format and memory in which an encoder takes frames.
    enum Input: Sendable {
        /// I420 in memory, the format of all frames in Apus.
        case i420
        /// NV12 in memory: chroma interleaved.
        case nv12
        /// NV12, copied into surfaces of this format on the device.
        case surfaces(device: AVHWDeviceType, format: AVPixelFormat)
    }

    /// The encoder's name in libavcodec, such as `h264_vaapi`.
    let name: String
    /// In the order in which they are tried.
    let inputs: [Input]
    /// Whether a new bitrate takes effect on the open encoder with the next frame. Other encoders must be reopened.
    var changesBitrateLive = false
    /// Whether it supports intra refresh: it refreshes the frame column by column instead of with IDR pictures.
    var supportsIntraRefresh = false
    /// Whether it has copied a frame when the call returns. Other encoders may keep the frame in a queue.
    var copiesInput = false
    var codec = Codec.h264

    /// The encoders that `auto` tries, in this order: the least processor load first.
    static let automatic: [Self] = [
        Self(name: "h264_nvenc", inputs: [.i420], changesBitrateLive: true, supportsIntraRefresh: true),
        Self(
            name: "h264_qsv", inputs: [.surfaces(device: AV_HWDEVICE_TYPE_QSV, format: AV_PIX_FMT_QSV)],
            supportsIntraRefresh: true),
        Self(name: "h264_vaapi", inputs: [.surfaces(device: AV_HWDEVICE_TYPE_VAAPI, format: AV_PIX_FMT_VAAPI)]),
        // Boards accept different formats.
        Self(name: "h264_v4l2m2m", inputs: [.i420, .nv12]),
        Self(name: "libx264", inputs: [.i420], changesBitrateLive: true, supportsIntraRefresh: true, copiesInput: true),
        Self(name: "libopenh264", inputs: [.i420], copiesInput: true),
    ]

    /// The H.265 encoders that are tried, in this order: the software encoder first, because hardware encoders are left to
    /// sources.
    static let h265: [Self] = [
        Self(name: "libx265", inputs: [.i420], copiesInput: true, codec: .h265),
        Self(name: "hevc_nvenc", inputs: [.i420], codec: .h265),
        Self(
            name: "hevc_qsv", inputs: [.surfaces(device: AV_HWDEVICE_TYPE_QSV, format: AV_PIX_FMT_QSV)], codec: .h265),
        Self(
            name: "hevc_vaapi", inputs: [.surfaces(device: AV_HWDEVICE_TYPE_VAAPI, format: AV_PIX_FMT_VAAPI)],
            codec: .h265),
        Self(name: "hevc_v4l2m2m", inputs: [.i420, .nv12], codec: .h265),
    ]

    /// The encoders to try for `name`, the requested one first.
    ///
    /// - Parameter hasFallback: whether the encoders of `auto` follow a named encoder.
    static func candidates(named name: String, hasFallback: Bool) -> [Self] {
        guard name != "auto" else { return automatic }
        let named = automatic.first { $0.name == name } ?? Self(name: name, inputs: [.i420, .nv12])
        return [named] + (hasFallback ? automatic.filter { $0.name != name } : [])
    }

    /// Whether intra refresh is in use with these settings. Then the encoder makes an IDR picture only on request.
    func usesIntraRefresh(_ settings: VideoEncoderSettings) -> Bool {
        settings.intraRefresh && supportsIntraRefresh
    }
}
