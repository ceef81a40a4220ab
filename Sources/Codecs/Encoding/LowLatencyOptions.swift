/// One option of an encoder in libavcodec, and why it is set.
struct LowLatencyOption: Sendable {
    let key: String
    /// `nil` leaves the encoder's default.
    let value: @Sendable (VideoEncoder.Settings) -> String?
    /// One sentence for whoever wants to change it.
    let reason: String

    init(_ key: String, _ value: String, _ reason: String) {
        self.init(key, reason) { _ in value }
    }

    init(_ key: String, _ reason: String, _ value: @escaping @Sendable (VideoEncoder.Settings) -> String?) {
        self.key = key
        self.reason = reason
        self.value = value
    }

    /// What to open the encoder `name` with; nothing is known of encoders that are not in the table.
    static func options(of name: String, _ settings: VideoEncoder.Settings) -> [String: String] {
        (table[name] ?? []).reduce(into: [:]) { $0[$1.key] = $1.value(settings) }
    }
}

extension LowLatencyOption {
    /// Per encoder. What all have in common is set on the context (`LibavEncoder`): no B-frames, a maximum rate equal to
    /// the bitrate, and a decoder's buffer of a few pictures.
    ///
    /// Names are those of FFmpeg 5.1 and newer; what a libavcodec does not know, it ignores.
    static let table: [String: [Self]] = [
        "h264_nvenc": [
            Self("preset", "p3", "the fastest presets that still search well; p4 and up take longer for a picture"),
            Self("tune", "ull", "ultra low latency: no look-ahead, no reordering, one picture in flight"),
            Self("delay", "0", "else libavcodec keeps pictures back to run the device in parallel"),
            Self("zerolatency", "1", "tells the driver that no picture is reordered"),
            Self("rc", "cbr", "pictures of even size leave no backlog on the wire"),
            Self("rc-lookahead", "0", "a look-ahead is delay, picture for picture"),
            Self("forced-idr", "1", "else a forced I picture is no random access point"),
            Self("no-scenecut", "1", "random access points come where they are due or asked for"),
            Self("profile", "the configured one") { $0.profile.rawValue },
            Self("intra-refresh", "columns instead of IDR pictures, where wanted") { $0.intraRefresh ? "1" : nil },
        ],
        "h264_qsv": [
            Self("preset", "veryfast", "the shortest time for a picture"),
            Self("async_depth", "1", "the default, 4, keeps three pictures back"),
            Self("low_delay_brc", "1", "holds each picture near the average size, not their sum"),
            Self("look_ahead", "0", "a look-ahead is delay, picture for picture"),
            Self("max_dec_frame_buffering", "1", "tells decoders that nothing is reordered: they show at once"),
            Self("forced_idr", "1", "else a forced I picture is no random access point"),
            Self("idr_interval", "0", "every I picture is a random access point"),
            Self("adaptive_i", "0", "random access points come where they are due or asked for"),
            Self("pic_timing_sei", "0", "bytes that nobody needs: RTP carries the times"),
            Self("profile", "the configured one") { $0.profile.rawValue },
            Self("int_ref_type", "columns instead of IDR pictures, where wanted") {
                $0.intraRefresh ? "vertical" : nil
            },
            Self("int_ref_cycle_size", "one pass over the picture takes as long as a group of pictures") {
                $0.intraRefresh ? "\(min(max($0.gopFrames, 2), 65_535))" : nil
            },
        ],
        "h264_vaapi": [
            Self("async_depth", "1", "the default, 2, keeps a picture back"),
            Self("idr_interval", "0", "every I picture is a random access point"),
            Self("sei", "0", "bytes that nobody needs: RTP carries the times"),
            Self("profile", "the configured one; VAAPI's baseline is the constrained one") {
                $0.profile == .baseline ? "constrained_baseline" : $0.profile.rawValue
            },
        ],
        "h264_v4l2m2m": [
            Self("num_output_buffers", "6", "the least that libavcodec takes: 16 pictures of delay could hide there"),
            Self("num_capture_buffers", "4", "the least that libavcodec takes"),
            Self("profile", "the configured one: profile_idc of ITU-T H.264, which the driver may refuse") {
                "\($0.profile.indication)"
            },
        ],
        "libx264": [
            Self("tune", "zerolatency", "no look-ahead, no reordering, one picture in flight"),
            Self("preset", "the configured one") { $0.preset },
            Self("profile", "the configured one") { $0.profile.rawValue },
            Self("forced-idr", "1", "else a forced I picture is no random access point"),
            Self(
                "x264-params", "scenecut=0:sliced-threads=1:aud=0:repeat-headers=1",
                "a cut in the scene must not break the budget of random access points; frame threads would add a "
                    + "whole picture of delay; each IDR picture carries its parameter sets"),
            Self("intra-refresh", "columns instead of IDR pictures, where wanted") { $0.intraRefresh ? "1" : nil },
        ],
        "libopenh264": [
            Self("rc_mode", "bitrate", "the default, quality, lets the bitrate go where it will"),
            Self("allow_skip_frames", "0", "a skipped picture would be a hole in the stream"),
            Self("profile", "the configured one; OpenH264 has no main") {
                $0.profile == .baseline ? "constrained_baseline" : "high"
            },
        ],
    ]
}

extension VideoEncoder.Profile {
    /// profile_idc (ITU-T H.264, A.2).
    fileprivate var indication: Int {
        switch self {
        case .baseline: 66
        case .main: 77
        case .high: 100
        }
    }
}
