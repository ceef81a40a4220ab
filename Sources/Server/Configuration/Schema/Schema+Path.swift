// The options of one path.

extension Schema<Configuration.Path> {
    static var path: Self {
        Schema.source([
            .value(
                "source", \.source,
                expecting: "testcard, a camera, a file, a fifo, \"-\" for standard input, or stream:NAME",
                "Where the media comes from. A camera is named by its device, such as /dev/video0. A file may have every format "
                    + "that FFmpeg reads; H.264 and AAC are sent as they are. A fifo or standard input carries H.264 in Annex B "
                    + "byte stream format. stream:cam is the path cam, encoded again with the size, frame rate and bitrate "
                    + "of this path's video options.",
                parse: { text, _ in isLine(text, maximumBytes: 4096) ? SourceSpecification(text) : nil },
                show: \.description),
            .text("title", \.title, "Title that players show; empty for the name of the path.").takingEffect(
                .newViewers),
            .text("description", \.description, "More information, for players that show it.").takingEffect(
                .newViewers),
            .boolean(
                "loop", \.loop,
                "Whether a file is played again from its beginning when it ends. If false, it is played once, from the start of "
                    + "the server; then its viewers are disconnected, and new clients get 404."),
            .choice(
                "multicast", \.multicast,
                "Whether the stream is also sent to a multicast group: one copy in the network for all viewers. onRequest: while "
                    + "viewers ask for it over RTSP. always: also for viewers that open an .sdp file."
            ).takingEffect(.groups),
            .choice(
                "multicastTransportStream", \.multicastTransportStream,
                "Whether MPEG-TS in RTP is also sent to the group, eight ports above multicast.port, which no track uses. Every "
                    + "VLC opens it as rtp://@GROUP:PORT, with the defaults rtp://@239.255.42.1:5012. onRequest: while viewers "
                    + "ask for it over SAT>IP (vlc --satip-multicast). always: also for viewers that open that URL."
            ).takingEffect(.groups),
            .optionalChoice(
                "join", \.join, formerWords: formerJoinWords, "Replaces join.mode for this path; null for join.mode."
            ).takingEffect(.newViewers),
            .choice(
                "timestamps", \.timestamps,
                "Which of the frames that Apus encodes carry their capture time, in an SEI message that players ignore: "
                    + "keyframes costs no packet; all costs one packet per frame and viewer. docs/timestamps.md describes "
                    + "its bytes."
            ).takingEffect(.encoding),
            .boolean(
                "absoluteCaptureTime", \.absoluteCaptureTime,
                "Whether packets carry their capture time in the RTP header extension abs-capture-time, which the session "
                    + "description announces: 16 bytes more per packet. Some receivers cannot read such packets."
            ).takingEffect(.newViewers),
            .section(
                "video", \.video, .video,
                reason:
                    "The H.264 that Apus encodes: of the test card; of cameras, which use the nearest size and frame rate that they "
                    + "have; and of files in other formats than H.264, which keep their size and frame rate."),
            .section(
                "audio", \.audio, .audio,
                reason:
                    "The AAC that Apus encodes: of the test card, of a microphone, and of files with other audio than AAC."
            ),
            .section("camera", \.camera, .camera, reason: "Settings of the camera."),
            .section(
                "effects", \.effects, .effects,
                reason:
                    "Changes to the frames before they are encoded, in this order. H.264 from standard input or a fifo is not "
                    + "decoded, so it cannot have effects."),
        ])
    }
}

/// What `join` and `join.mode` were called in earlier releases.
let formerJoinWords = ["prelude": "fastStart"]

extension Schema<Configuration.Video> {
    static var video: Self {
        Schema.encoding([
            .text(
                "encoder", \.encoder,
                "FFmpeg's name of the encoder, such as libx264. auto takes the first of h264_nvenc, h264_qsv, h264_vaapi, "
                    + "h264_v4l2m2m, libx264 and libopenh264 that works on this host; apus devices lists them."),
            .boolean(
                "encoderFallback", \.encoderFallback,
                "Whether another encoder is used if the named one does not work. The log then names both."
            ),
            .integer(
                "width", \.width, in: 16...8192, unit: "pixels, even",
                "Width of the test card; a camera uses the nearest that it has."),
            .integer(
                "height", \.height, in: 16...8192, unit: "pixels, even",
                "Height of the test card; a camera uses the nearest that it has."),
            .choice(
                "fit", \.fit,
                "How a substream (stream:NAME) with another aspect ratio shows the frames: letterbox adds black bars, crop cuts "
                    + "the edges off. Other sources ignore it."),
            .integer(
                "frameRate", \.frameRate, in: 1...240, unit: "frames per second",
                "Frame rate of the test card; a camera uses the nearest that it has."
            ).formerly("framesPerSecond").short("fps"),
            .bitrate(
                "bitrate", \.bitrate, in: 10_000...200_000_000,
                "Target, kept within a window of two frames so that no frame waits for the network."
            ).formerly("bitsPerSecond"),
            .integer(
                "gopMilliseconds", \.gopMilliseconds, in: 100...60_000, unit: "milliseconds",
                "Time from one keyframe to the next. Viewers start equally fast with every value; a recording can be cut at "
                    + "keyframes only, so a smaller value allows finer cuts."
            ),
            .boolean(
                "intraRefresh", \.intraRefresh,
                "Whether the image is refreshed column by column, once in gopMilliseconds, instead of by keyframes, which "
                    + "makes the sizes of frames more even. Keyframes are then sent only if a viewer needs one to start. "
                    + "h264_nvenc, h264_qsv and libx264 support it; other encoders send keyframes."),
            .choice(
                "profile", \.profile,
                "H.264 profile. baseline is for very old devices; high gives the best image quality."),
            .choice(
                "preset", \.preset,
                "Speed of libx264: faster presets give a lower image quality. On a small machine, a frame of 1280x720 "
                    + "takes 2.2 ms with ultrafast, 3.0 ms with superfast, 4.3 ms with veryfast."),
            .integer(
                "threads", \.threads, in: 1...64,
                "Slices of a frame that are encoded in parallel. More slices take less time and cost some image quality."
            ),
        ])
    }
}

extension Schema<Configuration.Camera> {
    static var camera: Self {
        Schema.encoding([
            .text(
                "format", \.format, maximumBytes: 4,
                "Capture format, such as YUYV, NV12, MJPG or H264. auto takes the mode with the nearest size and frame rate, and "
                    + "among several the cheapest format. apus devices lists the formats of each camera."),
            .texts(
                "controls", \.controls,
                "Values of the camera's controls, such as { brightness: 128, power_line_frequency: 50 Hz }; apus devices lists "
                    + "them. Other controls are not changed."),
        ])
    }
}

extension Schema<Configuration.Audio> {
    static var audio: Self {
        Schema.source([
            .boolean(
                "enabled", \.enabled,
                "Whether the stream has audio: that of the test card, the microphone, the file or the other path."),
            .value(
                "device", \.device, expecting: "ALSA's name of a device, default, or none",
                "Microphone of a camera's path, such as plughw:CARD=Device,DEV=0; none for a camera without audio. The test card "
                    + "and files have their own audio. apus devices lists the microphones.",
                parse: { text, _ in !text.isEmpty && isLine(text, maximumBytes: 200) ? text : nil }, show: quoted),
            .choice("sampleRate", \.sampleRate, unit: "Hz", "Sampling rate."),
            .integer("channels", \.channels, in: 1...2, "1 for mono, 2 for stereo."),
            .bitrate("bitrate", \.bitrate, in: 16_000...512_000, "Bitrate.").formerly("bitsPerSecond"),
        ])
    }
}
