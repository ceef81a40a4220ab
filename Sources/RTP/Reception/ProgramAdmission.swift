import MPEGTS
import Media

/// Decides which streams of a program become tracks, and keeps their units until then. A plain value.
///
/// A program map may name audio that is not sent, or is sent much later. Viewers learn the tracks before the first unit, so a stream
/// becomes a track if it has sent something within two seconds after the first unit of the program. Audio describes itself in each
/// unit; if that changes, the tracks are given again.
struct ProgramAdmission: Sendable {
    enum Output: Sendable {
        /// The units from now on belong to tracks of these formats.
        case tracks([ReceivedStream.Format])
        case unit(ProgramUnit, TrackID)
    }

    /// How long the first unit of a stream may take after that of another, in nanoseconds: multiplexers store audio and video up to a
    /// second apart.
    static let patience: Int64 = 2_000_000_000
    /// The most units, and bytes, that wait: two seconds of many times what publishers send. If there are more, all are dropped.
    static let (unitLimit, byteLimit) = (1_024, 16_000_000)

    private let codecs: [Codec]
    /// What is known of each stream; `nil` before its first unit.
    private var formats: [ReceivedStream.Format?]
    /// The track of each stream; `nil` until that is decided.
    private var tracks: [TrackID?]?
    private var firstArrival: MonotonicTime?
    private var waiting: [ProgramUnit] = []
    private var waitingByteCount = 0
    private var outputs: [Output] = []

    /// - Parameter codecs: of the program's streams.
    init(_ codecs: [Codec]) {
        self.codecs = codecs
        formats = codecs.map { _ in nil }
    }

    /// When to call ``deadlinePassed(at:)``; `distantFuture` unless units wait.
    var nextDeadline: MonotonicTime {
        guard tracks == nil, let firstArrival else { return .distantFuture }
        return firstArrival + Self.patience
    }

    /// The names of the streams that have become no track.
    var leftOut: [String] {
        guard let tracks else { return [] }
        return codecs.indices.filter { tracks[$0] == nil }.map { "\(codecs[$0].facts.encodingName) without data" }
    }

    mutating func received(_ unit: ProgramUnit) {
        guard let format = format(of: unit) else { return }
        let isChanged = formats[unit.stream] != format
        if let tracks {
            guard let track = tracks[unit.stream] else { return }
            formats[unit.stream] = format
            if isChanged { outputs.append(.tracks(admitted)) }
            return outputs.append(.unit(unit, track))
        }
        formats[unit.stream] = format
        firstArrival = firstArrival ?? unit.arrival
        wait(unit)
        if !formats.contains(nil) { decide() }
    }

    mutating func deadlinePassed(at now: MonotonicTime) {
        if nextDeadline <= now { decide() }
    }

    mutating func next() -> Output? {
        outputs.isEmpty ? nil : outputs.removeFirst()
    }

    private func format(of unit: ProgramUnit) -> ReceivedStream.Format? {
        switch codecs[unit.stream] {
        case .h264: .h264InBand
        case .h265: .h265InBand
        case .aac, .opus, .pcma, .pcmu: unit.format.map { .described($0) }
        }
    }

    private mutating func wait(_ unit: ProgramUnit) {
        waiting.append(unit)
        waitingByteCount += unit.bytes.count
        guard waiting.count > Self.unitLimit || waitingByteCount > Self.byteLimit else { return }
        (waiting, waitingByteCount) = ([], 0)
    }

    private var admitted: [ReceivedStream.Format] {
        formats.indices.compactMap { tracks?[$0] == nil ? nil : formats[$0] }
    }

    private mutating func decide() {
        var count = 0
        tracks = formats.map { format in
            guard format != nil else { return nil }
            defer { count += 1 }
            return TrackID(count)
        }
        outputs.append(.tracks(admitted))
        for unit in waiting { if let track = tracks?[unit.stream] { outputs.append(.unit(unit, track)) } }
        (waiting, waitingByteCount) = ([], 0)
    }
}
