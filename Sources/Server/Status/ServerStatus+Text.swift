import FoundationEssentials
import RateControl
import Streams

extension ServerStatus {
    /// For users: streams with their stages, viewers, loops. Control characters in the names of clients are escaped.
    public var text: String {
        var text = "apus \(version), up for \(Self.number(uptime)) s\n"
        if let settingsProblem {
            text += "settings that were changed over HTTP are lost at the next start: \(settingsProblem)\n"
        }
        for stream in streams {
            let watching = viewers.filter { $0.path == stream.path }
            text +=
                "\n\(stream.path)  \(stream.source), \(watching.count) \(watching.count == 1 ? "viewer" : "viewers")\n"
            text += stream.text + stream.forwardsText
            if !watching.isEmpty { text += Self.viewersTable(watching) }
        }
        return text + webhooksText + "\n" + loopsTable
    }

    /// For programs, as JSON.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Texts and finite numbers can always be written as JSON.
        return ((try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}") + "\n"
    }

    private static func viewersTable(_ viewers: [ViewerLine]) -> String {
        textTable(
            [
                [
                    "viewer", "transport", "for", "backlog", "unread", "dropped", "lost", "missing", "round trip",
                    "rendition", "client",
                ]
            ]
                + viewers.map { $0.cells })
    }

    private var loopsTable: String {
        textTable(
            [["loop", "packets", "MB", "messages", "system calls", "units", "dropped", "refused", "repaired"]]
                + loops.enumerated().map { index, loop in
                    [
                        "\(index)", "\(loop.packets)", Self.number(Double(loop.bytes) / 1e6), "\(loop.messages)",
                        "\(loop.systemCalls)", "\(loop.units)", "\(loop.droppedUnits)", "\(loop.refusedMessages)",
                        "\(loop.retransmittedPackets)",
                    ]
                })
    }

    /// With at most two decimals.
    static func number(_ value: Double) -> String {
        "\((value * 100).rounded() / 100)"
    }
}

extension ServerStatus.StreamLine {
    fileprivate var text: String {
        var facts = [condition.stateText, "\(pictures) frames", "\(ServerStatus.number(Double(bytes) / 1e6)) MB"]
        if let skipped { facts.append("\(skipped) skipped") }
        if let averageQuantizer { facts.append("quantizer \(ServerStatus.number(averageQuantizer))") }
        if let requestedBitrate, let bitrateReason {
            let made = (encoded?.text).map { ", \($0)" } ?? ""
            facts.append(
                "follows its viewers with \(ServerStatus.number(Double(requestedBitrate) / 1e6)) Mbit/s\(made) (\(bitrateReason))"
            )
        }
        let rows = Stage.allCases.compactMap { stage in
            stages[stage].map { spent in
                [stage.title] + [spent.p50, spent.p95, spent.p99, spent.max].map(ServerStatus.number)
            }
        }
        let header = [["stage, in ms", "p50", "p95", "p99", "max"]]
        if restarts > 0 { facts.append("started again \(restarts) times") }
        let failure = (condition.failureText ?? pastFailureText).map { "  \($0)\n" } ?? ""
        return "  \(facts.joined(separator: ", "))\n" + failure + (input?.text ?? "")
            + (rows.isEmpty ? "" : textTable(header + rows))
    }
}

extension ServerStatus.StreamLine {
    /// `last failure 2026-11-21T09:08:07.006Z: no file at film.mp4`; `nil` if the source has never failed.
    private var pastFailureText: String? {
        guard let lastFailure, let lastFailureAt else { return nil }
        return "last failure \(lastFailureAt): \(printable(lastFailure))"
    }
}

extension ServerStatus.EncodedLine {
    /// `640×360 at 15 fps`.
    fileprivate var text: String {
        FrameFormat(width: width, height: height, framesPerSecond: frameRate).description
    }
}

extension ServerStatus.Condition {
    /// `running for 12.3 s`.
    var stateText: String { "\(state) for \(ServerStatus.number(seconds)) s" }

    /// `since 2026-11-21T09:08:07.006Z: no file at film.mp4; next try in 4 s`; `nil` if the source is not failing.
    var failureText: String? {
        reason.map { reason in
            let next =
                secondsToNextTry.map { "next try in \(ServerStatus.number($0)) s" } ?? "trying again now"
            return "since \(since): \(printable(reason)); \(next)"
        }
    }
}

extension Stage {
    /// The points between which the time is measured.
    var title: String {
        switch self {
        case .capture: "capture → encoder in"
        case .encoding: "encoder in → encoder out"
        case .packaging: "encoder out → packaged"
        case .waiting: "packaged → first byte sent"
        case .sending: "first → last byte sent"
        case .whole: "capture → last byte sent"
        }
    }
}

extension ServerStatus.ViewerLine {
    /// Its row in the table of viewers.
    fileprivate var cells: [String] {
        let roundTrip = network?.roundTrip.map { "\(ServerStatus.number($0)) ms" }
        return [
            peer, transport, "\(ServerStatus.number(playing)) s", "\(ServerStatus.number(backlog)) ms",
            "\(unreadBytes) B", "\(droppedUnits)", network?.lost.map(String.init) ?? "-",
            network?.missing.map(String.init) ?? "-", roundTrip ?? "-", network?.rendition.map(printable) ?? "-",
            client.map(printable) ?? "unnamed",
        ]
    }
}
