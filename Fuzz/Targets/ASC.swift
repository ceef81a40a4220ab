import Media

/// Audio configurations and ADTS headers of any bytes: kept byte for byte, with sane values, or nothing.
@Sendable func fuzzASC(_ input: [UInt8]) {
    if let config = AAC.AudioSpecificConfig(parsing: input) {
        law(config.bytes == input, "a configuration is kept byte for byte")
        law(config.sampleRate.hertz > 0 && (0...8).contains(config.channelCount), "values are in their ranges")
        let longer = AAC.AudioSpecificConfig(parsing: input + [0xFF])
        law(
            longer?.sampleRate == config.sampleRate && longer?.channelCount == config.channelCount,
            "what follows does not change what was said")
    }
    if let header = AAC.ADTSHeader(parsing: input) {
        law(header.frameLength >= header.byteCount, "a frame holds its header")
        let config = header.configuration
        law(AAC.AudioSpecificConfig(parsing: config.bytes) == config, "an ADTS header's configuration can be read")
    }
}
