import Codecs
import Media

extension Configuration {
    /// How Apus encodes AAC: of the test card, of microphones, and of transcoded files.
    public struct Audio: Hashable, Sendable {
        public var enabled = true
        /// ALSA's name of the microphone of a camera's path; `none` for none.
        public var device = "default"
        public var sampleRate = ClockRate.audio48k
        public var channels = 2
        /// In bit/s.
        public var bitrate = 128_000

        public init() {}
    }
}

extension Schema<Configuration.Audio> {
    static var audio: Self {
        Schema(
            takingEffect: .source,
            .boolean(
                "enabled", \.enabled,
                "Whether the stream has audio: that of the test card, the microphone, the file or the other path."),
            .value(
                "device", \.device, expecting: "ALSA's name of a device, default, or none",
                "Microphone of a camera's path, such as plughw:CARD=Device,DEV=0; none for a camera without audio. The test card "
                    + "and files have their own audio. apus devices lists the microphones.",
                parse: { text, _ in !text.isEmpty && isLine(text, maximumBytes: 200) ? text : nil }, show: quoted),
            .choice(
                "sampleRate", \.sampleRate, among: sampleRates, word: { "\($0.hertz)" }, unit: "Hz", "Sampling rate."),
            .integer("channels", \.channels, in: 1...2, "1 for mono, 2 for stereo."),
            .bitrate("bitrate", \.bitrate, in: 16_000...512_000, "Bitrate.").formerly("bitsPerSecond"))
    }

    /// AAC-LC and all players support these.
    private static var sampleRates: [ClockRate] {
        [16_000, 22_050, 24_000, 32_000, 44_100, 48_000].compactMap(ClockRate.init)
    }
}

extension AudioEncoder.Settings {
    /// The settings of a path's encoder.
    init(_ audio: Configuration.Audio) {
        self.init()
        sampleRate = audio.sampleRate
        channelCount = audio.channels
        bitrate = audio.bitrate
    }
}
