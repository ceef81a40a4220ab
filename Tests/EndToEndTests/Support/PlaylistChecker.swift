import Foundation
import TestSupport
import Testing

/// A client of LL-HLS that fetches every playlist and every part, and compares what the playlists say with the media: sequence numbers,
/// durations, and dates with the capture times in `prft`.
struct PlaylistChecker {
    private let client: HTTPSocket
    private let folder: String
    private var newest: Playlist
    /// The video of each segment whose first part was fetched.
    private var starts: [Int: Start] = [:]
    /// What the segments that were listed said, by their names.
    private var listed: [String: Playlist.Segment] = [:]
    /// What is wrong: sentences.
    private(set) var differences: [String] = []
    /// Segments whose duration and date were compared.
    private(set) var comparedSegments = 0

    /// The first frame of a segment.
    private struct Start {
        /// When it is shown, in seconds.
        let time: Double
        /// When it was captured, in seconds since 1970.
        let captured: Double
    }

    /// Begins with the first quality of `cam`.
    init(port: Int) throws {
        client = try HTTPSocket(port: port)
        let list = try #require(client.ask("GET /cam/index.m3u8")).text
        let uri = try #require(list.split(separator: "\n").first { !$0.hasPrefix("#") }, "\(list)")
        folder = "/cam/\(uri.prefix { $0 != "/" })"
        newest = try Playlist(try #require(client.ask("GET \(folder)/all-0.m3u8")).text)
    }

    /// Waits for so many parts, one after the other.
    mutating func follow(parts count: Int) throws {
        for _ in 0..<count {
            let (segment, part) = newest.hint
            let response = try #require(client.ask("GET \(folder)/all-0.m3u8?_HLS_msn=\(segment)&_HLS_part=\(part)"))
            try #require(response.status == 200, "\(response.text)")
            let playlist = try Playlist(response.text)
            compare(playlist, with: newest)
            newest = playlist
            for name in playlist.parts where name.isFirst && starts[name.segment] == nil {
                let media = try #require(client.ask("GET \(folder)/\(name.text)"))
                starts[name.segment] = start(of: media.body)
            }
        }
        compareDurations()
    }

    private mutating func compare(_ playlist: Playlist, with former: Playlist) {
        if playlist.target != former.target { differences.append("the target duration has changed") }
        if playlist.sequence < former.sequence { differences.append("the media sequence went back") }
        if playlist.hint <= former.hint { differences.append("\(playlist.hint) does not follow \(former.hint)") }
        for (index, segment) in playlist.segments.enumerated() {
            if segment.number != playlist.sequence + index {
                differences.append("\(segment.name) is at place \(index)")
            }
            if segment.duration.rounded() > playlist.target { differences.append("\(segment.name) is too long") }
            if let known = listed[segment.name], known != segment { differences.append("\(segment.name) has changed") }
            listed[segment.name] = segment
        }
    }

    private mutating func compareDurations() {
        for segment in listed.values {
            guard let start = starts[segment.number], let next = starts[segment.number + 1] else { continue }
            comparedSegments += 1
            if abs(next.time - start.time - segment.duration) > 0.000_5 {
                differences.append("\(segment.name) lasts \(next.time - start.time) s, not \(segment.duration) s")
            }
            if abs(segment.date - start.captured) > 0.001 {
                differences.append("\(segment.name) was captured \(segment.date - start.captured) s earlier")
            }
        }
    }

    /// The first frame of video (track 1).
    private func start(of media: [UInt8]) -> Start? {
        var rest = media[...]
        var captured = 0.0
        while rest.count >= 8 {
            let byteCount = Int(number(rest.prefix(4)))
            guard byteCount >= 8, byteCount <= rest.count else { return nil }
            let box = Array(rest.prefix(byteCount))
            // prft: the seconds since 1900, with 32 bits behind the point, stand behind version and track.
            if box[4..<8].elementsEqual("prft".utf8) {
                captured = Double(number(box[16..<20])) - 2_208_988_800 + Double(number(box[20..<24])) / 4_294_967_296
            }
            // moof with mfhd (16), and traf with tfhd (16) and tfdt (20).
            if box[4..<8].elementsEqual("moof".utf8), number(box[44..<48]) == 1 {
                // trun (20): duration, size, flags and composition offset of the first frame.
                let offset = Int32(truncatingIfNeeded: number(box[100..<104]))
                return Start(time: Double(Int64(number(box[60..<68])) + Int64(offset)) / 90_000, captured: captured)
            }
            rest = rest.dropFirst(byteCount)
        }
        return nil
    }

    private func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// A media playlist, as far as it is compared.
private struct Playlist {
    struct Segment: Equatable {
        let name: String
        let number: Int
        let duration: Double
        /// Seconds since 1970.
        let date: Double
    }

    struct PartName {
        let text: String
        let segment: Int
        let isFirst: Bool
    }

    private(set) var target = 0.0
    private(set) var sequence = 0
    private(set) var segments: [Segment] = []
    private(set) var parts: [PartName] = []
    private(set) var hint = (segment: 0, part: 0)

    init(_ text: String) throws {
        var (duration, date) = (0.0, 0.0)
        let form = ISO8601DateFormatter()
        form.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        for line in text.split(separator: "\n") {
            let value = String(line.drop { $0 != ":" }.dropFirst())
            let words = line.split(separator: "\"").dropFirst().first?.dropLast(4).split(separator: "-") ?? []
            switch line.prefix(while: { $0 != ":" }) {
            case "#EXT-X-TARGETDURATION": target = Double(value) ?? 0
            case "#EXT-X-MEDIA-SEQUENCE": sequence = Int(value) ?? 0
            case "#EXT-X-PROGRAM-DATE-TIME": date = form.date(from: value)?.timeIntervalSince1970 ?? 0
            case "#EXTINF": duration = Double(value.dropLast()) ?? 0
            case "#EXT-X-PART":
                parts.append(
                    PartName(
                        text: words.joined(separator: "-") + ".mp4", segment: Int(words[1]) ?? 0,
                        isFirst: words[2] == "0"))
            case "#EXT-X-PRELOAD-HINT": hint = (Int(words[1]) ?? 0, Int(words[2]) ?? 0)
            case let name where !name.hasPrefix("#"):
                let number = name.dropLast(4).split(separator: "-").last.flatMap { Int($0) }
                segments.append(
                    Segment(name: String(name), number: try #require(number), duration: duration, date: date))
            default: break
            }
        }
        try #require(target > 0 && !segments.isEmpty, "\(text)")
    }
}
