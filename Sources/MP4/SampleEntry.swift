import Media
import Wire

/// How the samples of a track are described in an init segment (`stsd`), and what becomes of its access units.
struct SampleEntry: Hashable, Sendable {
    let format: Track.Format
    let parameterSets: ParameterSetPlacement
    /// The box, with everything in it.
    let bytes: [UInt8]
    /// The codec with its parameters, as in a MIME type (RFC 6381).
    let codecString: String
    /// What a frame looks like; `nil` for audio.
    let picture: PictureDescription?

    /// `nil` for a format that MP4 does not carry, and for parameter sets that do not fit their box.
    init?(_ format: Track.Format, parameterSets: ParameterSetPlacement) {
        var writer = ByteWriter(capacity: 256)
        switch format {
        case .h264(let sets):
            guard let record = sets.decoderConfigurationRecord else { return nil }
            let type: BoxType = parameterSets == .inBand ? "avc3" : "avc1"
            picture = PictureDescription(sets)
            codecString = CodecString.h264(sets, parameterSets)
            writer.visualSampleEntry(type, picture) { $0.box("avcC") { $0.append(record) } }
        case .h265(let sets):
            let isOutOfBand = parameterSets == .outOfBand
            guard let record = sets.decoderConfigurationRecord(areComplete: isOutOfBand) else { return nil }
            picture = PictureDescription(sets)
            codecString = CodecString.h265(sets, parameterSets)
            writer.visualSampleEntry(isOutOfBand ? "hvc1" : "hev1", picture) { $0.box("hvcC") { $0.append(record) } }
        case .aac(let configuration):
            picture = nil
            codecString = CodecString.aac(configuration)
            writer.audioSampleEntry(
                "mp4a", channelCount: max(configuration.channelCount, 1), sampleRate: configuration.sampleRate
            ) { $0.elementaryStreamDescriptor(configuration) }
        case .opus(let channelCount):
            picture = nil
            codecString = CodecString.opus
            writer.audioSampleEntry("Opus", channelCount: channelCount, sampleRate: .audio48k) {
                $0.opusSpecificBox(channelCount: channelCount)
            }
        case .g711: return nil
        }
        self.format = format
        self.parameterSets = parameterSets
        bytes = writer.bytes
    }

    /// Whether a reader that got `former` can read the samples without this description.
    ///
    /// Parameter sets in band may differ from those in the description as long as size, shape, colours and profile are the same.
    func isCovered(by former: Self) -> Bool {
        switch (format, former.format) {
        case (.h264, .h264), (.h265, .h265):
            parameterSets == .inBand
                ? codecString == former.codecString && picture == former.picture : bytes == former.bytes
        case (.aac(let own), .aac(let other)): own.isEquivalent(to: other)
        default: format == former.format
        }
    }
}

/// Where readers find the parameter sets of H.264 and H.265.
public enum ParameterSetPlacement: Hashable, Sendable {
    /// In keyframes and in the init segment, so that they may change without a new one: `avc3`, `hev1`.
    case inBand
    /// In the init segment alone: `avc1`, `hvc1`.
    case outOfBand
}
