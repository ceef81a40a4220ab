import CFFmpeg

/// What Apus knows of one H.264 encoder of libavcodec: how pictures go into it, and what it can do.
struct EncoderModel: Sendable {
    /// The form in which an encoder takes pictures.
    enum Input: Sendable {
        /// I420 in memory, as pictures are everywhere here.
        case i420
        /// NV12 in memory: chroma interleaved.
        case nv12
        /// NV12 copied to the device, into surfaces of this format.
        case surfaces(device: AVHWDeviceType, format: AVPixelFormat)
    }

    /// Its name in libavcodec: `h264_vaapi`.
    let name: String
    /// In the order in which they are tried.
    let inputs: [Input]
    /// Whether a bitrate set on the open encoder holds from the next picture on; others are opened anew.
    var changesBitrateLive = false
    /// Whether it can refresh the picture in columns instead of by IDR pictures.
    var supportsIntraRefresh = false
    /// Whether it has copied a picture when it returns; others may keep it in a queue of theirs.
    var copiesInput = false

    /// In the order in which `auto` tries them: what costs the processor least comes first.
    static let automatic: [Self] = [
        Self(name: "h264_nvenc", inputs: [.i420], changesBitrateLive: true, supportsIntraRefresh: true),
        Self(
            name: "h264_qsv", inputs: [.surfaces(device: AV_HWDEVICE_TYPE_QSV, format: AV_PIX_FMT_QSV)],
            supportsIntraRefresh: true),
        Self(name: "h264_vaapi", inputs: [.surfaces(device: AV_HWDEVICE_TYPE_VAAPI, format: AV_PIX_FMT_VAAPI)]),
        // Boards differ in what they take.
        Self(name: "h264_v4l2m2m", inputs: [.i420, .nv12]),
        Self(name: "libx264", inputs: [.i420], changesBitrateLive: true, supportsIntraRefresh: true, copiesInput: true),
        Self(name: "libopenh264", inputs: [.i420], copiesInput: true),
    ]

    /// The encoders that `name` stands for, the wanted one first.
    ///
    /// - Parameter hasFallback: whether those of `auto` follow one that is named.
    static func candidates(named name: String, hasFallback: Bool) -> [Self] {
        guard name != "auto" else { return automatic }
        let named = automatic.first { $0.name == name } ?? Self(name: name, inputs: [.i420, .nv12])
        return [named] + (hasFallback ? automatic.filter { $0.name != name } : [])
    }

    /// Whether pictures are refreshed in columns with these settings: then no IDR picture comes unless it is asked for.
    func usesIntraRefresh(_ settings: VideoEncoder.Settings) -> Bool {
        settings.intraRefresh && supportsIntraRefresh
    }
}
