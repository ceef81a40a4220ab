import Media
import Wire

/// How access units of one codec become samples.
enum SampleFraming: Sendable {
    /// An access unit is one sample: its NAL units with lengths.
    case nalUnits(NALUnitFraming)
    /// Each raw data block of AAC is a sample.
    ///
    /// - Parameter duration: ticks of a block.
    case aac(duration: Int64)
    /// Each packet of Opus is a sample, with its own duration.
    case opus

    /// - Parameter track: of a format that MP4 carries.
    init(_ track: Track, _ parameterSets: ParameterSetPlacement) {
        switch track.format {
        case .h264(let sets): self = .nalUnits(NALUnitFraming(sets, parameterSets))
        case .h265(let sets): self = .nalUnits(NALUnitFraming(sets, parameterSets))
        case .aac(let configuration):
            let samples = MediaTime(ticks: Int64(configuration.samplesPerFrame), rate: configuration.sampleRate)
            self = .aac(duration: samples.converted(to: track.clockRate).ticks)
        case .opus, .g711: self = .opus
        }
    }

    /// How many samples the unit is; 0 if it has nothing that samples may contain.
    func sampleCount(of unit: AccessUnit) -> Int {
        switch self {
        case .nalUnits(let framing): framing.byteCount(of: unit) > 0 ? 1 : 0
        case .aac, .opus: unit.units.count
        }
    }

    /// Bytes of the sample `index` of the unit.
    func byteCount(ofSample index: Int, in unit: AccessUnit) -> Int {
        switch self {
        case .nalUnits(let framing): framing.byteCount(of: unit)
        case .aac, .opus: unit.units[index].count
        }
    }

    /// Ticks of the sample `index` of the unit; `nil` if only the next sample tells.
    func duration(ofSample index: Int, in unit: AccessUnit) -> Int64? {
        switch self {
        case .nalUnits: nil
        case .aac(let duration): duration
        case .opus: Opus.sampleCount(of: unit.bytes[unit.units[index]]).map { Int64($0) }
        }
    }

    /// Ticks of the first `count` samples of a unit that has more. Only audio has several, and tells their durations.
    func duration(ofFirst count: Int, in unit: AccessUnit) -> Int64 {
        (0..<count).reduce(0) { $0 + (duration(ofSample: $1, in: unit) ?? 1) }
    }

    @_lifetime(output: copy output)
    func write(sample index: Int, of unit: AccessUnit, to output: inout OutputRawSpan) {
        switch self {
        case .nalUnits(let framing): framing.write(unit, to: &output)
        case .aac, .opus: output.append(unit.bytes.rawSpan.extracting(unit.units[index]))
        }
    }
}
