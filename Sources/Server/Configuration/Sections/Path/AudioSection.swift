extension Configuration {
    /// How Apus encodes AAC: of the test card, of microphones, and of transcoded files.
    public struct Audio: Hashable, Sendable {
        public var enabled = true
        /// ALSA's name of the microphone of a camera's path; `none` for none.
        public var device = "default"
        public var sampleRate = SampleRate.hz48000
        public var channels = 2
        /// In bit/s.
        public var bitrate = 128_000

        public init() {}

        /// Sampling rates that AAC-LC and all players support, in Hz.
        public enum SampleRate: String, CaseIterable, Sendable {
            case hz16000 = "16000"
            case hz22050 = "22050"
            case hz24000 = "24000"
            case hz32000 = "32000"
            case hz44100 = "44100"
            case hz48000 = "48000"

            /// In Hz.
            public var hertz: Int { Int(rawValue) ?? 48_000 }
        }
    }
}

extension Schema<Configuration.Audio> {
    static var audio: Self {
        Schema(
            takingEffect: .source,
            [
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
