import Media

/// A live stream of random video and audio, in decoding order: track 0 is H.264, track 1 AAC.
public struct Broadcast: Sendable {
    public static let video = TrackID(0)
    public static let audio = TrackID(1)
    /// Parameter sets as the track announces them.
    public static let parameterSets: [[UInt8]] = [[0x67, 66, 0, 30], [0x68, 0xCE]]

    /// Ticks of 90 kHz between frames.
    public var interval: Int64
    /// Whether presentation order differs from decoding order.
    public var reorders: Bool
    /// Whether frames come in parts, with audio in between.
    public var comesInParts: Bool
    public var maximumFrameByteCount: Int
    /// The delay of frames after their decode time.
    public var videoLag: Int64
    public var audioRate: ClockRate

    public init(
        interval: Int64 = 3_000, reorders: Bool = false, comesInParts: Bool = false,
        maximumFrameByteCount: Int = 6_000, videoLag: Int64 = 0, audioRate: ClockRate = .audio48k
    ) {
        self.interval = interval
        self.reorders = reorders
        self.comesInParts = comesInParts
        self.maximumFrameByteCount = maximumFrameByteCount
        self.videoLag = videoLag
        self.audioRate = audioRate
    }

    public static func tracks(audioRate: ClockRate = .audio48k) -> [Track] {
        guard let sets = H264.ParameterSets(sequence: [parameterSets[0]], picture: [parameterSets[1]]) else {
            preconditionFailure("these are parameter sets")
        }
        let config = AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: audioRate, channelCount: 2)
        return [
            Track(id: video, clockRate: .video, format: .h264(sets)),
            Track(id: audio, clockRate: audioRate, format: .aac(config)),
        ]
    }

    /// A NAL unit whose body has no zeros, so that it contains no start code.
    public static func nalUnit(_ type: UInt8, _ byteCount: Int, seed: Int = 0) -> [UInt8] {
        [0x60 | type] + (1..<max(byteCount, 2)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) | 1 }
    }

    public static func videoUnit(
        _ nalUnits: [[UInt8]], at ticks: Int64, decodedAt decode: Int64? = nil, isKeyframe: Bool = false,
        part: AccessUnit.Part = .whole
    ) -> AccessUnit {
        AccessUnit(
            track: video, presentationTime: MediaTime(ticks: ticks, rate: .video),
            decodeTime: MediaTime(ticks: decode ?? ticks, rate: .video), isKeyframe: isKeyframe, part: part,
            nalUnits: nalUnits)
    }

    public static func audioUnit(_ blocks: [[UInt8]], at ticks: Int64, rate: ClockRate = .audio48k) -> AccessUnit {
        let time = MediaTime(ticks: ticks, rate: rate)
        return AccessUnit(
            track: audio, presentationTime: time, decodeTime: time, isKeyframe: true, nalUnits: blocks)
    }

    public func units(seconds: Int64, seed: UInt64) -> [AccessUnit] {
        var random = SplitMix64(seed: seed)
        var units: [(comes: Int64, unit: AccessUnit)] = []
        for number in 0..<(seconds * 90_000 / interval) {
            for (index, part) in videoUnits(number, using: &random).enumerated() {
                // At most seven parts, all of which come before the next frame.
                units.append((number * interval + videoLag + Int64(index) * interval / 8, part))
            }
        }
        for number in 0..<(seconds * Int64(audioRate.hertz) / 1024) {
            let block = [UInt8](repeating: UInt8(number & 0xFF), count: Int.random(in: 1...400, using: &random))
            let unit = Self.audioUnit([block], at: number * 1024, rate: audioRate)
            units.append((unit.decodeTime.converted(to: .video).ticks, unit))
        }
        // Video first if both are due.
        return units.enumerated().sorted { ($0.element.comes, $0.offset) < ($1.element.comes, $1.offset) }
            .map(\.element.unit)
    }

    private func videoUnits(_ number: Int64, using random: inout SplitMix64) -> [AccessUnit] {
        let isKeyframe = number % 30 == 0
        var nalUnits = (0..<Int.random(in: 1...4, using: &random)).map { index in
            Self.nalUnit(isKeyframe ? 5 : 1, Int.random(in: 1...maximumFrameByteCount, using: &random), seed: index)
        }
        if Bool.random(using: &random) { nalUnits.insert([0x09, 0x10], at: 0) }
        if isKeyframe, Bool.random(using: &random) {
            nalUnits.insert(contentsOf: Self.parameterSets, at: nalUnits[0][0] == 9 ? 1 : 0)
        }
        let decode = number * interval
        let shown = decode + (reorders ? [1, 3, 0, 2][Int(number % 4)] * interval : 0)
        guard comesInParts, nalUnits.count > 2 else {
            return [Self.videoUnit(nalUnits, at: shown, decodedAt: decode, isKeyframe: isKeyframe)]
        }
        return nalUnits.indices.dropFirst().map { index in
            Self.videoUnit(
                index == 1 ? Array(nalUnits[...1]) : [nalUnits[index]], at: shown, decodedAt: decode,
                isKeyframe: isKeyframe && index == 1,
                part: index == 1 ? .first : index == nalUnits.count - 1 ? .last : .middle)
        }
    }
}
