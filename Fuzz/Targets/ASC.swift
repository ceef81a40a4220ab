import Fuzzing
import Media

/// AAC configurations and ADTS headers: arbitrary bytes are kept unchanged with valid values, or rejected.
@Sendable func fuzzASC(_ input: [UInt8]) {
    if let config = AAC.AudioSpecificConfig(parsing: input) {
        require(config.bytes == input, "a configuration is kept byte for byte")
        require(config.sampleRate.hertz > 0 && (0...8).contains(config.channelCount), "values are in their ranges")
        let longer = AAC.AudioSpecificConfig(parsing: input + [0xFF])
        require(
            longer?.sampleRate == config.sampleRate && longer?.channelCount == config.channelCount,
            "trailing bytes do not change the result")
    }
    if let header = AAC.ADTSHeader(parsing: input) {
        require(header.frameLength >= header.byteCount, "a frame holds its header")
        let config = header.configuration
        require(AAC.AudioSpecificConfig(parsing: config.bytes) == config, "an ADTS header's configuration can be read")
    }
}
