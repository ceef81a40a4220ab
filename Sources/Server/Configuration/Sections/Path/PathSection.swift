import Capture
import Delivery
import RTP
import Streams

extension Configuration {
    /// One stream: its source, and how Apus encodes it if it does.
    public struct Path: Hashable, Sendable {
        public var source = SourceSpecification.testCard
        /// Whether the source runs only while it is needed.
        public var onDemand = false
        /// How long the source of an on-demand path runs on after its last viewer.
        public var onDemandCloseSeconds = 10
        /// How long clients wait for the source of an on-demand path.
        public var onDemandStartSeconds = 10
        /// The session name that players show; empty for the name of the path.
        public var title = ""
        public var description = ""
        /// Separated by commas.
        public var keywords = ""
        /// Whether a file is played again when it ends. If not, the stream ends then.
        public var loop = true
        /// Whether and when it is also sent to a multicast group.
        public var multicast = Multicasting.off
        /// Whether and when it is also sent to its group as MPEG-TS.
        public var multicastTransportStream = Multicasting.off
        /// Replaces `join.mode` for this path.
        public var join: JoinMode?
        /// Which of the frames that Apus encodes carry their capture time.
        public var timestamps = CaptureTimeSEI.keyframes
        /// Whether packets carry their capture time.
        public var absoluteCaptureTime = false
        /// Whether tracks are encoded again for viewers whose protocol cannot carry them.
        public var transcode = TranscodingMode.auto
        /// Whether the encoder follows what viewers can receive.
        public var rate = RatePolicy.fixed
        public var effects = Effects()
        public var video = Video()
        public var audio = Audio()
        public var camera = Camera()
        public var clock = SenderClockTrust.auto
        public var pull = Pull()
        public var publish = Publish()
        public var srt = PathSRT()
        /// Other servers to which the stream is published.
        public var forward: [Forward] = []
        public var absent = Absent()
        /// The name of the path that is shown while the source is absent; empty for none.
        public var fallback = ""

        public init() {}

        /// Whether it has a multicast group.
        public var isMulticast: Bool { multicast != .off || multicastTransportStream != .off }

        /// What happens if viewers cannot receive the configured bitrate.
        public enum RatePolicy: String, CaseIterable, Sendable {
            /// They skip frames.
            case fixed
            /// The encoder makes what all but the worst tenth of them can receive.
            case follow
            /// Each gets the path or one of its substreams, whichever it can receive.
            case renditions
        }

        /// When a path is sent to its multicast group.
        public enum Multicasting: String, CaseIterable, Sendable {
            case off
            /// While at least one viewer has asked for it over RTSP.
            case onRequest
            /// Always, also for viewers without RTSP.
            case always
        }
    }
}

extension Schema<Configuration.Path> {
    static var path: Self {
        Schema(
            takingEffect: .source,
            .value(
                "source", \.source,
                expecting:
                    "testcard, a camera, a file, a fifo, \"-\" for standard input, rtsp://HOST/PATH, another URL, publish, stream:NAME, or track:NAME/NUMBER",
                "Where the media comes from. A camera is named by its device, such as /dev/video0. A file may have every format "
                    + "that FFmpeg reads; H.264, H.265, AAC, Opus and G.711 are sent as they are. A fifo or standard input "
                    + "carries H.264 or H.265 in Annex B byte stream format, or a container such as MPEG-TS or Matroska. A URL "
                    + "of another scheme is opened by FFmpeg. An rtsp:// or rtmp:// URL names the stream of an IP camera or of "
                    + "another server; Apus receives its media in the same codecs, and encodes L16, G.722 and JPEG again. "
                    + "publish: clients publish the stream over "
                    + "RTSP or RTMP. stream:cam is the path cam, encoded again with the size, frame rate and bitrate of this path's "
                    + "video options. track:yard/1 is the second video track of what clients publish to the path yard over enhanced "
                    + "RTMP (OBS's multitrack video), with its audio, as it is.",
                parse: { text, _ in isLine(text, maximumBytes: 4096) ? SourceSpecification(text) : nil },
                show: \.text),
            .boolean(
                "onDemand", \.onDemand,
                "Whether the source starts when the first client asks for the stream, and stops after the last one has left. The "
                    + "first client waits until the source has a frame, so this is for sources that cost something while "
                    + "nobody watches."),
            .integer(
                "onDemandCloseSeconds", \.onDemandCloseSeconds, in: 0...86_400, unit: "seconds",
                "With onDemand, how long the source runs on without a viewer. A viewer that reconnects in this time does not wait."
            ),
            .integer(
                "onDemandStartSeconds", \.onDemandStartSeconds, in: 1...120, unit: "seconds",
                "With onDemand, how long a client waits for the first frame before it is answered 503. A source that fails is "
                    + "reported at once. VLC waits for about 10 s."),
            .text("title", \.title, "Title that players show; empty for the name of the path.").takingEffect(
                .newViewers
            )
            .overHTTP(),
            .text("description", \.description, "More information, for players that show it.").takingEffect(
                .newViewers),
            .text("keywords", \.keywords, "Words separated by commas, for players of HLS that show them.").takingEffect(
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
            .choice(
                "clock", \.clock,
                "For published and pulled streams, whether the time of day in the sender's reports is the time of capture. arrival: "
                    + "never; capture times count from the arrival, less the jitter. source: if it is not in the future and at "
                    + "most 5 s ago; the clocks of both hosts should be synchronised. auto: if it is at most 1 s ago, because "
                    + "the sender's clock is probably synchronised then."),
            .optionalChoice(
                "join", \.join, formerWords: formerJoinWords,
                "Replaces join.mode for this path; null for join.mode."
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
            .choice(
                "rate", \.rate,
                "What happens if viewers cannot receive the bitrate of a stream. fixed: they skip frames. "
                    + "follow: the encoder of a stream that Apus encodes follows what all but the worst tenth of the viewers can "
                    + "receive, down to video.minimumBitrate, and with fewer and smaller frames (video.reduce) if that needs them; one "
                    + "viewer alone counts fully. renditions: each viewer over RTSP and WebRTC gets the path or one of its "
                    + "substreams (stream:NAME, track:NAME/NUMBER), whichever it can receive, and moves between them at keyframes; recorders stay."
            ).takingEffect(.encoding),
            .choice(
                "transcode", \.transcode,
                "What becomes of audio that a viewer's protocol cannot carry: G.711, which many cameras send, in MPEG-TS (VLC over "
                    + "SAT>IP). auto: it is encoded as AAC, once for all such viewers, as long as there is one. no: these "
                    + "viewers have no audio."
            ).takingEffect(.newViewers),
            .section(
                "video", \.video, .video,
                reason:
                    "The H.264 that Apus encodes: of the test card; of cameras, which use the nearest size and frame rate that they "
                    + "have; and of received JPEG and of files in other formats than H.264, which keep their size and frame "
                    + "rate."),
            .section(
                "audio", \.audio, .audio,
                reason:
                    "The AAC that Apus encodes: of the test card, of a microphone, of files with other audio, of L16 and G.722 "
                    + "that are received, and of G.711 for viewers that cannot receive it."
            ),
            .section("camera", \.camera, .camera, reason: "Settings of the camera."),
            .section("pull", \.pull, .pull, reason: "How the stream of another server is pulled."),
            .section(
                "absent", \.absent, .absent,
                reason: "What viewers see while the source is absent: unplugged, unreachable, or without a publisher."),
            .value(
                "fallback", \.fallback, expecting: "the name of another path, or \"\"",
                "The path whose frames viewers see while the source is absent, if both have the same codecs. They see the source "
                    + "again at its next keyframe. What absent.show selects is shown while that path has no frames either.",
                parse: { text, _ in
                    let name = String(text.drop { $0 == "/" })
                    return name.isEmpty || isPathName(name) ? name : nil
                }, show: quoted),
            .section("publish", \.publish, .publish, reason: "How clients publish, with source: publish."),
            .section("srt", \.srt, .pathSRT, reason: "How clients connect over SRT."),
            .sections(
                "forward", \.forward, .forward, makeDefault: Configuration.Forward.init, shortKey: "url", atMost: 16,
                item: "a URL such as rtsp://HOST/PATH or rtmp://HOST/APP/KEY, or options with a url",
                "Other servers to which the stream is published, each as soon and as long as it has media. A server that is away is "
                    + "tried again until it is back."
            ).takingEffect(.live),
            .section(
                "effects", \.effects, .effects,
                reason:
                    "Changes to the frames before they are encoded, in this order. H.264 from standard input or a fifo is not "
                    + "decoded, so it cannot have effects."))
    }
}
