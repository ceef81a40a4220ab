import Media
import Wire

/// Frames of audio that say themselves where they end: ADTS, LOAS, and Opus behind control headers.
protocol AudioFraming: Sendable {
    /// Reads the frame that begins at `start`.
    mutating func frame(at start: Int, in bytes: [UInt8]) -> AudioFrameReading
}

enum AudioFrameReading: Hashable {
    /// More bytes are needed.
    case incomplete
    /// No frame begins here.
    case invalid
    case frame(AudioFrame)
}

/// A frame of audio in an elementary stream.
struct AudioFrame: Hashable, Sendable {
    /// Bytes with all headers.
    let byteCount: Int
    /// The blocks of audio, each an access unit; none if they cannot be used.
    let blocks: [[UInt8]]
    /// Samples of each channel in a block.
    let samplesPerBlock: Int
    /// `nil` if it is not known yet.
    let format: Track.Format?
}

/// Reads the access units of an audio stream in PES packets. Each is returned as soon as its last byte has come.
///
/// A PES packet has the time of the first frame that begins in it (ISO/IEC 13818-1, 2.4.3.7). The others follow without a gap. After a
/// loss, frames are dropped until the next PES packet begins, because their times are not known.
struct AudioStreamReader<Framing: AudioFraming>: ElementaryStreamReader {
    /// What is kept of a frame that is not complete: more than the longest frame of any framing, which is an Opus packet.
    static var maximumFrameByteCount: Int { 0xFFFF }

    private var framing: Framing
    /// From the frame that is not complete on.
    private var bytes: [UInt8] = []
    /// When the first of these bytes came.
    private var arrival = MonotonicTime(nanoseconds: 0)
    /// The last PES packet whose time no frame has yet, and the index of its first byte.
    private var packet: (start: Int, times: UnitTimes)?
    private var clock: Clock?
    /// Whether a frame begins where the last one ended.
    private var isSynchronised = true
    private var finished: [ElementaryUnit] = []
    private(set) var brokenCount = 0

    /// The time of the next frame: that of a PES packet, and the samples since.
    private struct Clock {
        let start: UnitTimes
        var sampleCount: Int64 = 0

        func times(_ rate: ClockRate) -> UnitTimes {
            let time = ProgramTime(ticks: start.presentation.ticks &+ sampleCount &* 90_000 / Int64(rate.hertz))
            return UnitTimes(presentation: time, decode: time, base: start.base)
        }
    }

    init(_ framing: Framing) {
        self.framing = framing
    }

    mutating func begin(_ times: UnitTimes?, arrival: MonotonicTime) {
        // Frames nearly always begin with a packet.
        if bytes.isEmpty { isSynchronised = true }
        if let times { packet = (bytes.count, times) }
    }

    mutating func push(_ body: RawSpan, arrival: MonotonicTime) {
        // After a loss, nothing has a time until a packet begins.
        guard clock != nil || packet != nil else { return }
        let waitingCount = bytes.count
        bytes.append(body)
        var start = 0
        while start < bytes.count {
            // A frame that began in an earlier piece came with that one.
            if start >= waitingCount { self.arrival = arrival }
            switch framing.frame(at: start, in: bytes) {
            case .incomplete:
                beginFrame(at: start)
                return keep(from: start)
            case .frame(let frame) where isSynchronised || isFollowed(frame, at: start):
                isSynchronised = true
                take(frame, at: start)
                start += frame.byteCount
            case .frame, .invalid:
                if isSynchronised { brokenCount += 1 }
                isSynchronised = false
                start += 1
            }
        }
        keep(from: start)
    }

    mutating func end() {}
    mutating func finish() {}

    mutating func recordLoss() {
        if !bytes.isEmpty { brokenCount += 1 }
        (bytes, packet, clock) = ([], nil, nil)
        isSynchronised = false
    }

    mutating func next() -> ElementaryUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    /// Whether another frame begins behind this one, or the bytes end there. Else the header of this one may be a coincidence.
    private func isFollowed(_ frame: AudioFrame, at start: Int) -> Bool {
        let end = start + frame.byteCount
        guard end < bytes.count else { return true }
        var framing = framing
        return framing.frame(at: end, in: bytes) != .invalid
    }

    private mutating func keep(from start: Int) {
        let dropped = bytes.count - start > Self.maximumFrameByteCount ? bytes.count : start
        bytes.removeFirst(dropped)
        if let packet { self.packet = (max(0, packet.start - dropped), packet.times) }
    }

    /// Uses the time of the last packet if this frame is the first one that begins in it.
    private mutating func beginFrame(at start: Int) {
        guard let packet, packet.start <= start else { return }
        clock = Clock(start: packet.times)
        self.packet = nil
    }

    private mutating func take(_ frame: AudioFrame, at start: Int) {
        beginFrame(at: start)
        guard let format = frame.format, clock != nil else { return }
        for block in frame.blocks {
            guard let times = clock?.times(format.clockRate) else { return }
            clock?.sampleCount += Int64(frame.samplesPerBlock)
            finished.append(
                ElementaryUnit(
                    times: times, arrival: arrival, isKeyframe: true, isComplete: true, format: format, bytes: block,
                    units: [0..<block.count]))
        }
    }
}
