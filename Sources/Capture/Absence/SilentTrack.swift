import Codecs
import Media

/// The silence of an audio track: one access unit, which is repeated. That of AAC is encoded once.
struct SilentTrack {
    let track: Track
    private let bytes: [UInt8]
    /// The length of the unit.
    private let ticks: Int64
    /// The time of the next unit, in ticks; `nil` before the first.
    private var next: Int64?

    /// The object type of AAC-LC. Frames of others have another structure.
    private static let lowComplexity = 2
    /// After these frames of zeros, each unit is the same.
    private static let settlingFrames = 6

    /// `nil` if the track is not audio, or AAC other than LC with its channels in the configuration: it stays without audio.
    init?(_ track: Track) throws(CodecFailure) {
        self.track = track
        switch track.format {
        case .h264, .h265: return nil
        case .aac(let configuration):
            guard configuration.audioObjectType == Self.lowComplexity, (1...8).contains(configuration.channelCount)
            else { return nil }
            bytes = try Self.encode(configuration)
            ticks = Int64(AAC.samplesPerAccessUnit)
        case .opus(let channelCount):
            // A frame of 20 ms in fullband CELT whose silence flag is set (RFC 6716, sections 3.1 and 4.3).
            bytes = [channelCount > 1 ? 0xFC : 0xF8, 0xFF, 0xFE]
            ticks = 960
        case .g711(let format):
            // 20 ms of the code words for zero (ITU-T G.711, tables 1 and 2).
            let byteCount = min(Int(format.sampleRate.hertz) / 50 * format.channelCount, format.maximumUnitByteCount)
            bytes = [UInt8](repeating: format.law == .a ? 0xD5 : 0xFF, count: byteCount)
            ticks = Int64(max(1, byteCount / format.channelCount))
        }
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
            tick += ticks
        }
        next = tick
        return units
    }
}

/// The silence of several tracks, which continues without gaps while the tracks stay the same.
struct SilentTracks {
    private var silence: [TrackID: SilentTrack] = [:]

    /// The units that begin up to this instant, in nanoseconds since the epoch.
    mutating func units(of tracks: [Track], until nanoseconds: Int64) throws(CodecFailure) -> [AccessUnit] {
        var units: [AccessUnit] = []
        for track in tracks where track.kind == .audio {
            if silence[track.id]?.track != track { silence[track.id] = try SilentTrack(track) }
            units += silence[track.id]?.units(until: nanoseconds) ?? []
        }
        return units
    }
}
