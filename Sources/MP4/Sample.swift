import Media
import Wire

/// One sample of a fragment.
struct Sample: Sendable {
    let unit: AccessUnit
    /// Which of the unit's samples it is.
    let index: Int
    let byteCount: UInt32
    /// Ticks to the decode time of the next sample.
    var duration: UInt32
    /// Ticks from decode to presentation time.
    let compositionOffset: Int32
    let isSync: Bool
}

/// sample_flags (ISO/IEC 14496-12, 8.8.3.1).
struct SampleFlags: Hashable, Sendable {
    let rawValue: UInt32

    /// Depends on no other sample (sample_depends_on 2).
    static let sync = Self(rawValue: 0x0200_0000)
    /// Depends on others (sample_depends_on 1), and decoding cannot start here (sample_is_non_sync_sample).
    static let other = Self(rawValue: 0x0101_0000)
}

/// The samples of one track in a fragment, without an allocation if there is one sample.
struct SampleRun: Sendable {
    let track: MovieTrack
    /// The decode time of the first sample, on the stream's clock.
    let decodeTime: MediaTime
    private var first: Sample
    private var rest: [Sample] = []

    init(_ track: MovieTrack, decodeTime: MediaTime, _ first: Sample) {
        self.track = track
        self.decodeTime = decodeTime
        self.first = first
    }

    mutating func append(_ sample: Sample) { rest.append(sample) }

    /// Changes the duration of the last sample, because the next one is known.
    mutating func setLastDuration(_ duration: UInt32) {
        if rest.isEmpty { first.duration = duration } else { rest[rest.count - 1].duration = duration }
    }

    var count: Int { 1 + rest.count }

    /// The sample `index`, from 0.
    subscript(index: Int) -> Sample { index == 0 ? first : rest[index - 1] }

    /// Bytes of all samples.
    var byteCount: Int { rest.reduce(Int(first.byteCount)) { $0 + Int($1.byteCount) } }

    /// Ticks of all samples.
    var duration: Int64 { rest.reduce(Int64(first.duration)) { $0 + Int64($1.duration) } }

    @_lifetime(output: copy output)
    func write(to output: inout OutputRawSpan) {
        for position in 0..<count {
            let sample = self[position]
            track.framing.write(sample: sample.index, of: sample.unit, to: &output)
        }
    }
}
