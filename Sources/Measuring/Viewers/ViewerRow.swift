import Media
import RTSPClient

/// The result of one viewer, a row of the CSV file.
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
    /// Why the session ended; `nil` if the viewer disappeared, or was still playing at the end.
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

    /// In nanoseconds.
    var connectToPlay: Int64? { playing.map { $0 - opened } }
    var connectToKeyframe: Int64? { firstKeyframe.map { $0 - opened } }
    var playToFirstPacket: Int64? { playing.flatMap { playing in firstPacket.map { $0 - playing } } }
}

extension [ViewerRow] {
    /// A row per viewer, in the order of joining.
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
                CommaSeparatedTable.milliseconds(row.connectToKeyframe), sum(\.packets), "\(row.byteCount)",
                sum(\.gaps), sum(\.lost), sum(\.duplicates), sum(\.reordered), "\(row.wholeUnits)",
                "\(row.unitsInTime)",
                "\(row.brokenUnits)", row.end,
            ])
        }
        return table.text
    }

    /// When the first viewer joined.
    var firstInstant: MonotonicTime { map(\.opened).min() ?? MonotonicTime(nanoseconds: 0) }

    /// The `duration` of each viewer, at the time of its join.
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
