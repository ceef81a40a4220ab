import Media
import RTSP
import RTSPServer
import Streams

/// A stream as clients of HTTP are told about it (docs/http-websocket.md).
struct StreamReport: Hashable, Sendable {
    let path: String
    let title: String?
    /// The path of which it is a substream.
    let substreamOf: String?
    let tracks: [TrackReport]
    let contentType: String?
    let bitrate: Int
    let viewers: Int
    /// Whether clients publish it.
    let takesPublishers: Bool
    /// What `apus status` knows.
    let status: ServerStatus.StreamLine

    struct TrackReport: Hashable, Sendable, Encodable {
        let kind: String
        let codec: String
        var width: Int?
        var height: Int?
        var frameRate: Double?
        var sampleRate: Int?
        var channels: Int?
    }

    /// The report for a client with these rights. To publish is a right for paths that take publishers.
    func seen(with rights: [Right]) -> Seen {
        Seen(report: self, rights: takesPublishers ? rights : rights.filter { $0 != .publish })
    }

    /// Another number if the state, the tracks or the number of viewers has changed.
    var stateHash: Int {
        var hasher = Hasher()
        for text in [path, title, substreamOf, contentType, status.condition.state, status.condition.since] {
            hasher.combine(text)
        }
        hasher.combine(status.condition.reason)
        hasher.combine(viewers)
        // The measured frame rate is no state.
        for track in tracks { hasher.combine([track.codec, "\(track.width ?? 0)x\(track.height ?? 0)"]) }
        return hasher.finalize()
    }
}

extension StreamReport {
    /// The report as one client sees it: how the source does is for operators.
    struct Seen: Encodable {
        let report: StreamReport
        let rights: [Right]

        private enum Key: String, CodingKey {
            case path, title, condition, substreamOf, tracks, contentType, bitrate, viewers, rights, pictures, bytes
            case source, restarts, lastFailure, lastFailureAt, skipped, averageQuantizer
            case requestedBitrate, bitrateReason, encoded, stages, input, forwards
        }

        private enum ConditionKey: String, CodingKey {
            case state, since, seconds, reason, nextTry, secondsToNextTry
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            let (status, isOperator) = (report.status, rights.contains(.status))
            try fields.encode(report.path, forKey: .path)
            try fields.encode(report.title, forKey: .title)
            var condition = fields.nestedContainer(keyedBy: ConditionKey.self, forKey: .condition)
            try condition.encode(status.condition.state, forKey: .state)
            try condition.encode(status.condition.since, forKey: .since)
            try condition.encode(status.condition.seconds, forKey: .seconds)
            try condition.encode(isOperator ? status.condition.reason : nil, forKey: .reason)
            try condition.encode(status.condition.nextTry, forKey: .nextTry)
            try condition.encode(status.condition.secondsToNextTry, forKey: .secondsToNextTry)
            try fields.encode(report.substreamOf, forKey: .substreamOf)
            try fields.encode(report.tracks, forKey: .tracks)
            try fields.encode(report.contentType, forKey: .contentType)
            try fields.encode(report.bitrate, forKey: .bitrate)
            try fields.encode(report.viewers, forKey: .viewers)
            try fields.encode(rights.map(\.rawValue), forKey: .rights)
            try fields.encode(status.pictures, forKey: .pictures)
            try fields.encode(status.bytes, forKey: .bytes)
            guard isOperator else { return }
            try fields.encode(status.source, forKey: .source)
            try fields.encode(status.restarts, forKey: .restarts)
            try fields.encode(status.lastFailure, forKey: .lastFailure)
            try fields.encode(status.lastFailureAt, forKey: .lastFailureAt)
            try fields.encode(status.skipped, forKey: .skipped)
            try fields.encode(status.averageQuantizer, forKey: .averageQuantizer)
            try fields.encode(status.requestedBitrate, forKey: .requestedBitrate)
            try fields.encode(status.bitrateReason, forKey: .bitrateReason)
            try fields.encode(status.encoded, forKey: .encoded)
            try fields.encode(status.stages, forKey: .stages)
            try fields.encode(status.input, forKey: .input)
            try fields.encode(status.forwards, forKey: .forwards)
        }
    }
}

extension StreamReport.TrackReport {
    /// - Parameter frameRate: the measured one.
    init(_ track: Track, frameRate: Double?) {
        kind = track.kind == .video ? "video" : "audio"
        switch track.format {
        case .h264(let sets):
            codec = "H.264"
            let set = H264.SequenceParameterSet(parsing: sets.sequence[0])
            (width, height) = (set?.width, set?.height)
        case .h265(let sets):
            codec = "H.265"
            let set = H265.SequenceParameterSet(parsing: sets.sequence[0])
            (width, height) = (set?.width, set?.height)
        case .aac: codec = "AAC"
        case .opus: codec = "Opus"
        case .g711(let format): codec = format.law == .a ? "PCMA" : "PCMU"
        }
        if track.kind == .video {
            self.frameRate = frameRate
        } else {
            sampleRate = Int(track.clockRate.hertz)
            channels = track.format.channelCount
        }
    }
}
