import Media
import RTSPClient

/// What is kept of a viewer that is through.
struct ViewerRow: Sendable {
    let kind: ViewerRecord.Kind
    let opened: MonotonicTime
    let playing: MonotonicTime?
    let firstPacket: MonotonicTime?
    let firstKeyframe: MonotonicTime?
    let byteCount: UInt64
    let loss: [LossTracker]
    let wholeUnits: UInt64
    let brokenUnits: UInt64
    let unitsInTime: UInt64
    /// Why it ended; `nil` where it vanished, or was still there at the end.
    let end: String?

    init(_ viewer: ViewerRecord) {
        kind = viewer.kind
        opened = viewer.opened
        playing = viewer.playing
        firstPacket = viewer.firstPacket
        firstKeyframe = viewer.firstKeyframe
        byteCount = viewer.byteCount
        loss = viewer.tracks.map(\.loss)
        wholeUnits = viewer.tracks.reduce(0) { $0 + $1.units.whole }
        brokenUnits = viewer.tracks.reduce(0) { $0 + $1.units.broken }
        unitsInTime = viewer.unitsInTime
        end = viewer.end?.description
    }

    /// Nanoseconds.
    var connectToPlay: Int64? { playing.map { $0 - opened } }
    var connectToRandomAccess: Int64? { firstKeyframe.map { $0 - opened } }
    var playToFirstPacket: Int64? { playing.flatMap { playing in firstPacket.map { $0 - playing } } }
}

extension [ViewerRow] {
    /// A row per viewer, in the order in which they came.
    var csv: String {
        var table = CommaSeparatedTable(columns: [
            "viewer", "kind", "opened_s", "connect_to_play_ms", "play_to_packet_ms", "connect_to_decodable_ms",
            "packets",
            "bytes", "gaps", "lost", "duplicates", "reordered", "whole_units", "units_in_time", "broken_units", "end",
        ])
        let start = firstInstant
        for (index, row) in sorted(by: { $0.opened < $1.opened }).enumerated() {
            func sum(_ count: KeyPath<LossTracker, UInt64>) -> String {
                "\(row.loss.reduce(0) { $0 + $1[keyPath: count] })"
            }
            table.add([
                "\(index)", row.kind.name, CommaSeparatedTable.seconds(row.opened - start),
                CommaSeparatedTable.milliseconds(row.connectToPlay),
                CommaSeparatedTable.milliseconds(row.playToFirstPacket),
                CommaSeparatedTable.milliseconds(row.connectToRandomAccess), sum(\.packets), "\(row.byteCount)",
                sum(\.gaps), sum(\.lost), sum(\.duplicates), sum(\.reordered), "\(row.wholeUnits)",
                "\(row.unitsInTime)",
                "\(row.brokenUnits)", row.end,
            ])
        }
        return table.text
    }

    /// When the first of them came.
    var firstInstant: MonotonicTime { map(\.opened).min() ?? MonotonicTime(nanoseconds: 0) }

    /// What all of them measured of `duration`, at the instants at which they came.
    func points(_ duration: (ViewerRow) -> Int64?) -> [PlotPoint] {
        compactMap { row in duration(row).map { PlotPoint(instant: row.opened, nanoseconds: $0) } }
    }
}

extension ViewerRecord.Kind {
    fileprivate var name: String {
        switch self {
        case .steady: "steady"
        case .stalled: "stalled"
        case .halfRate: "half-rate"
        case .churning: "churning"
        }
    }
}
