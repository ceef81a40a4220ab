/// One option of a libavcodec encoder, and the reason why it is set.
struct LowLatencyOption: Sendable {
    let key: String
    /// `nil` leaves the encoder's default.
    let value: @Sendable (VideoEncoderSettings) -> String?
    /// One sentence for readers who want to change the option.
    let reason: String

    init(_ key: String, _ value: String, _ reason: String) {
        self.init(key, reason) { _ in value }
    }

    init(_ key: String, _ reason: String, _ value: @escaping @Sendable (VideoEncoderSettings) -> String?) {
        self.key = key
        self.reason = reason
        self.value = value
    }

    /// The options for the encoder `name`; empty for an encoder that is not in the table.
    static func options(of name: String, _ settings: VideoEncoderSettings) -> [String: String] {
        (table[name] ?? []).reduce(into: [:]) { $0[$1.key] = $1.value(settings) }
    }
}

extension LowLatencyOption {
    /// The options per encoder. `LibavEncoder` sets the common ones on the context: no B-frames, a maximum rate equal to the
    /// bitrate, and a decoder buffer of a few frames.
    ///
    /// Option names are those of FFmpeg 5.1 and newer. libavcodec ignores options that it does not know.
    static let table: [String: [Self]] = [
        "h264_nvenc": [
            Self("preset", "p3", "the fastest presets that still search well; p4 and up take longer per frame"),
            Self("tune", "ull", "ultra low latency: no look-ahead, no reordering, one frame in flight"),
            Self("delay", "0", "otherwise libavcodec holds back frames to run the device in parallel"),
            Self("zerolatency", "1", "tells the driver that no frame is reordered"),
            Self("rc", "cbr", "frames of even size leave no backlog on the network"),
            Self("rc-lookahead", "0", "each frame of look-ahead adds a frame of delay"),
            Self("forced-idr", "1", "otherwise a forced I-frame is not an IDR picture"),
            Self("no-scenecut", "1", "IDR pictures come only when due or requested"),
            Self("profile", "the configured one") { $0.profile.rawValue },
            Self("intra-refresh", "intra refresh instead of IDR pictures, if configured") {
                $0.intraRefresh ? "1" : nil
            },
        ],
        "h264_qsv": [
            Self("preset", "veryfast", "the shortest time per frame"),
            Self("async_depth", "1", "the default, 4, holds back three frames"),
            Self("low_delay_brc", "1", "keeps each frame near the average size, not only their sum"),
            Self("look_ahead", "0", "each frame of look-ahead adds a frame of delay"),
            Self(
                "max_dec_frame_buffering", "1",
                "tells decoders that nothing is reordered, so that they show frames at once"),
            Self("forced_idr", "1", "otherwise a forced I-frame is not an IDR picture"),
            Self("idr_interval", "0", "every I-frame is an IDR picture"),
            Self("adaptive_i", "0", "IDR pictures come only when due or requested"),
            Self("pic_timing_sei", "0", "not needed: RTP carries the times"),
            Self("profile", "the configured one") { $0.profile.rawValue },
            Self("int_ref_type", "intra refresh instead of IDR pictures, if configured") {
                $0.intraRefresh ? "vertical" : nil
            },
            Self("int_ref_cycle_size", "one pass over the frame takes as long as a GOP") {
                $0.intraRefresh ? "\(min(max($0.gopFrames, 2), 65_535))" : nil
            },
        ],
        "h264_vaapi": [
            Self("async_depth", "1", "the default, 2, holds back a frame"),
            Self("idr_interval", "0", "every I-frame is an IDR picture"),
            Self("sei", "0", "not needed: RTP carries the times"),
            Self("profile", "the configured one; VAAPI's baseline is the constrained one") {
                $0.profile == .baseline ? "constrained_baseline" : $0.profile.rawValue
            },
        ],
        "h264_v4l2m2m": [
            Self("num_output_buffers", "6", "libavcodec's minimum; its default, 16, allows 16 frames of delay"),
            Self("num_capture_buffers", "4", "libavcodec's minimum"),
            Self("profile", "the configured one: profile_idc of ITU-T H.264, which the driver may refuse") {
                "\($0.profile.indication)"
            },
        ],
        "libx264": [
            Self("tune", "zerolatency", "no look-ahead, no reordering, one frame in flight"),
            Self("preset", "the configured one") { $0.preset.rawValue },
            Self("profile", "the configured one") { $0.profile.rawValue },
            Self("forced-idr", "1", "otherwise a forced I-frame is not an IDR picture"),
            Self(
                "x264-params", "scenecut=0:sliced-threads=1:aud=0:repeat-headers=1",
                "a scene cut must not add IDR pictures; frame threads would add a "
                    + "whole frame of delay; each IDR picture carries its parameter sets"),
            Self("intra-refresh", "intra refresh instead of IDR pictures, if configured") {
                $0.intraRefresh ? "1" : nil
            },
        ],
        "libopenh264": [
            Self("rc_mode", "bitrate", "the default, quality, does not limit the bitrate"),
            Self("allow_skip_frames", "0", "a skipped frame would be a gap in the stream"),
            Self("profile", "the configured one; OpenH264 has no main") {
                $0.profile == .baseline ? "constrained_baseline" : "high"
            },
        ],
        "libx265": [
            Self("tune", "zerolatency", "no look-ahead, no reordering, one frame in flight"),
            Self("preset", "ultrafast", "it encodes what is shown while a source is absent, next to other work"),
            Self("forced-idr", "1", "otherwise a forced I-frame is not an IDR picture"),
            Self(
                "x265-params",
                "scene cuts must not add IDR pictures; each IDR picture carries its parameter sets; the library writes its "
                    + "messages to standard error by itself"
            ) { "scenecut=0:repeat-headers=1:info=0:aud=0:log-level=none:pools=\($0.threads)" },
        ],
        "hevc_nvenc": [
            Self("preset", "p3", "fast, as for h264_nvenc"),
            Self("tune", "ull", "ultra low latency: no look-ahead, no reordering, one frame in flight"),
            Self("delay", "0", "otherwise libavcodec holds back frames to run the device in parallel"),
            Self("forced-idr", "1", "otherwise a forced I-frame is not an IDR picture"),
        ],
        "hevc_qsv": [
            Self("async_depth", "1", "the default, 4, holds back three frames"),
            Self("forced_idr", "1", "otherwise a forced I-frame is not an IDR picture"),
            Self("idr_interval", "begin_only", "IDR pictures come only when requested"),
        ],
        "hevc_vaapi": [
            Self("async_depth", "1", "the default, 2, holds back a frame"),
            Self("idr_interval", "0", "every I-frame is an IDR picture"),
        ],
    ]
}

extension VideoEncoderSettings.Profile {
    /// profile_idc (ITU-T H.264, A.2).
    fileprivate var indication: Int {
        switch self {
        case .baseline: 66
        case .main: 77
        case .high: 100
        }
    }
}
