import Codecs
import Media

/// The silence of an AAC track: one access unit, which is encoded once and repeated.
struct SilentTrack {
    private let track: Track
    private let bytes: [UInt8]
    /// The time of the next unit, in ticks; `nil` before the first.
    private var next: Int64?

    /// The object type of AAC-LC. Frames of others have another structure.
    private static let lowComplexity = 2
    /// After these frames of zeros, each unit is the same.
    private static let settlingFrames = 6

    /// `nil` if the track is not AAC-LC with its channels in the configuration: it stays without audio.
    init?(_ track: Track) throws(CodecFailure) {
        guard case .aac(let configuration) = track.format, configuration.audioObjectType == Self.lowComplexity,
            (1...8).contains(configuration.channelCount)
        else { return nil }
        self.track = track
        bytes = try Self.encode(configuration)
        if bytes.isEmpty { return nil }
    }

    private static func encode(_ configuration: AAC.AudioSpecificConfig) throws(CodecFailure) -> [UInt8] {
        var settings = AudioEncoder.Settings()
        (settings.sampleRate, settings.channelCount) = (configuration.sampleRate, configuration.channelCount)
        let encoder = try AudioEncoder(settings)
        var last: [UInt8] = []
        for index in 0..<settlingFrames {
            let frame = try AudioFrame(
                sampleCount: encoder.samplesPerFrame, channelCount: settings.channelCount,
                sampleRate: settings.sampleRate)
            for channel in 0..<settings.channelCount { frame[channel].update(repeating: 0) }
            let time = MediaTime(ticks: Int64(index * encoder.samplesPerFrame), rate: settings.sampleRate)
            last = try encoder.encode(frame, track: TrackID(0), presentationTime: time).last?.bytes ?? last
        }
        return last
    }

    /// The units that begin up to this instant, in nanoseconds since the epoch. The first call starts there.
    mutating func units(until nanoseconds: Int64) -> [AccessUnit] {
        let due = track.clockRate.ticks(inNanoseconds: nanoseconds)
        var tick = next ?? due
        // After a pause, nothing is made up for.
        if due - tick > Int64(track.clockRate.hertz) { tick = due }
        var units: [AccessUnit] = []
        while tick <= due {
            let time = MediaTime(ticks: tick, rate: track.clockRate)
            units.append(
                AccessUnit(
                    track: track.id, presentationTime: time, decodeTime: time, isKeyframe: true, bytes: bytes,
                    units: [0..<bytes.count]))
            tick += Int64(AAC.samplesPerAccessUnit)
        }
        next = tick
        return units
    }
}
