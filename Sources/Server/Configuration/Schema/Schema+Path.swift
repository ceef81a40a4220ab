// Every option of one path.

extension Schema<Configuration.Path> {
    static var path: Self {
        Schema([
            .value(
                "source", \.source,
                expecting: "testcard, a camera, a file, a fifo, \"-\" for standard input, or stream:NAME",
                "What is served. A camera is its device, as /dev/video0. Files are whatever FFmpeg opens; H.264 and AAC pass "
                    + "through untouched. A fifo or standard input carries H.264 in Annex B form. stream:cam is the path "
                    + "cam once more, as it is shown there, in the size, rate and bitrate of this path's video options.",
                parse: { text, _ in isLine(text, maximumBytes: 4096) ? SourceSpecification(text) : nil },
                show: \.description),
            .text("title", \.title, "Name that players show; empty for the path."),
            .text("description", \.description, "More about it, for players that show it."),
            .boolean(
                "loop", \.loop,
                "Whether a file starts again at its end. With false it is played once, from the server's start on; then its "
                    + "viewers are disconnected, and new ones are answered 404."),
            .choice(
                "multicast", \.multicast,
                "Whether it is sent to a multicast group too, one copy on the wire for all who watch: onRequest while "
                    + "viewers ask for it over RTSP, always also for who watches from an .sdp file."),
            .choice(
                "multicastTransportStream", \.multicastTransportStream,
                "Whether its group is sent MPEG-TS in RTP too, eight ports above multicast.port, so that no track has "
                    + "the same port: every VLC opens it as rtp://@GROUP:PORT, with the defaults "
                    + "rtp://@239.255.42.1:5012. onRequest while viewers ask for it over SAT>IP (vlc "
                    + "--satip-multicast), always also for who just opens it."),
            .optionalChoice("join", \.join, "Instead of join.mode, for this path; null for join.mode."),
            .choice(
                "timestamps", \.timestamps,
                "Which of the pictures that Apus codes carry their time of capture, as SEI that players ignore: keyframes "
                    + "costs no packet, all one packet for each picture and viewer. docs/timestamps.md has its bytes."),
            .boolean(
                "absoluteCaptureTime", \.absoluteCaptureTime,
                "Whether each packet tells its time of capture in the RTP header extension abs-capture-time, which the "
                    + "session description announces: 16 bytes more for each. Some receivers cannot read such packets."),
            .section(
                "video", \.video, .video,
                "The H.264 that Apus codes: the test card, cameras, which come as near to size and rate as they can, and "
                    + "files in other codecs than H.264, which keep their size and frame rate."),
            .section(
                "audio", \.audio, .audio,
                "The AAC that Apus codes: the test card's, a microphone's, and of files with other sound than AAC."),
            .section("camera", \.camera, .camera, "What is adjusted of a camera."),
            .section(
                "effects", \.effects, .effects,
                "What is done to the pictures before they are coded, in this order. H.264 from standard input or a "
                    + "fifo passes through as it is, so they cannot be had there."),
        ])
    }
}

extension Schema<Configuration.Video> {
    static var video: Self {
        Schema([
            .text(
                "encoder", \.encoder,
                "Encoder by FFmpeg's name, as libx264. auto takes the first that works here of h264_nvenc, h264_qsv, "
                    + "h264_vaapi, h264_v4l2m2m, libx264 and libopenh264."),
            .boolean(
                "encoderFallback", \.encoderFallback,
                "Whether those of auto take the place of a named encoder that does not work, which the log then tells."
            ),
            .integer(
                "width", \.width, in: 16...8192, unit: "pixels, even", "Width of the test card; asked of a camera."),
            .integer(
                "height", \.height, in: 16...8192, unit: "pixels, even", "Height of the test card; asked of a camera."),
            .choice(
                "fit", \.fit,
                "What becomes of the original's pictures in a substream of other proportions: letterbox shows all of them "
                    + "between black bars, crop cuts off what does not fit. Without effect on other sources."),
            .integer(
                "framesPerSecond", \.frameRate, in: 1...240, unit: "pictures per second",
                "Frame rate of the test card; asked of a camera."),
            .integer(
                "bitsPerSecond", \.bitrate, in: 10_000...200_000_000, unit: "bits per second",
                "Target, held within a window of two pictures so that no picture waits for the wire."),
            .integer(
                "gopMilliseconds", \.gopMilliseconds, in: 100...60_000, unit: "milliseconds",
                "From one IDR picture to the next. Joining is as quick at any value; recordings cut finer at small ones."
            ),
            .boolean(
                "intraRefresh", \.intraRefresh,
                "Refreshes the picture column by column, once in gopMilliseconds, instead of by IDR pictures: pictures "
                    + "are evener in size. IDR pictures come only when a viewer needs one to begin with. h264_nvenc, "
                    + "h264_qsv and libx264 can do it; others code IDR pictures."),
            .choice("profile", \.profile, "baseline for very old devices; high gives the best picture."),
            .choice(
                "preset", \.preset,
                "libx264's speed. At 1280x720 on a small machine a picture takes 2.2 ms with ultrafast, 3.0 with superfast, "
                    + "4.3 with veryfast."),
            .integer(
                "threads", \.threads, in: 1...64,
                "Slices encoded side by side; more take less time and cost some picture."),
        ])
    }
}

extension Schema<Configuration.Camera> {
    static var camera: Self {
        Schema([
            .text(
                "format", \.format, maximumBytes: 4,
                "Format to capture in, as YUYV, NV12, MJPG or H264; auto takes the nearest size and rate, then the format "
                    + "that costs least. apus devices lists them."),
            .texts(
                "controls", \.controls,
                "Values of the camera's controls by name, as in { brightness: 128, power_line_frequency: 50 Hz }; "
                    + "apus devices lists them. The others stay as they are."),
        ])
    }
}

extension Schema<Configuration.Audio> {
    static var audio: Self {
        Schema([
            .boolean(
                "enabled", \.enabled,
                "Whether there is sound at all: the test card's, a microphone's, a file's or a substream's."),
            .value(
                "device", \.device, expecting: "ALSA's name of a device, default, or none",
                "Microphone that goes with a camera, as plughw:CARD=Device,DEV=0; none for a camera without sound. The "
                    + "test card and files have their own. apus devices lists them.",
                parse: { text, _ in !text.isEmpty && isLine(text, maximumBytes: 200) ? text : nil }, show: quoted),
            .choice("sampleRate", \.sampleRate, unit: "Hz", "Sampling rate."),
            .integer("channels", \.channels, in: 1...2, "1 for mono, 2 for stereo."),
            .integer("bitsPerSecond", \.bitrate, in: 16_000...512_000, unit: "bits per second", "Bitrate."),
        ])
    }
}
