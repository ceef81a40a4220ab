import Foundation
import TestSupport
import Testing

/// Video that is white, and audio that has a tone, for 40 ms at the start of each second; and how far apart both are in a recording.
enum FlashAndTone {
    /// ffmpeg's input in real time, with audio in frames of 20 ms, as cameras send it.
    static func input(sampleRate: Int = 48_000, channelCount: Int = 2) -> [String] {
        let tone = "0.8*sin(2*PI*1000*t)*lt(mod(t,1),0.04)"
        let tones = Array(repeating: tone, count: channelCount).joined(separator: "|")
        return [
            "-re", "-f", "lavfi", "-i",
            "color=c=black:s=320x240:r=25,drawbox=c=white:t=fill:enable='lt(mod(t,1),0.04)'",
            "-re", "-f", "lavfi", "-i", "aevalsrc='\(tones)':s=\(sampleRate):n=\(sampleRate / 50)",
        ]
    }

    /// The codecs of a recording, and the starts of its flashes and tones in seconds.
    struct Recording {
        let codecs: [String]
        let seconds: Double
        let flashes: [Double]
        let tones: [Double]

        /// The seconds from each flash to the nearest tone. Those at the beginning are left out, because a fast start has other times.
        var offsets: [Double] {
            flashes.filter { $0 > 2 }.compactMap { flash in
                tones.map { $0 - flash }.min { abs($0) < abs($1) }.flatMap { abs($0) < 0.5 ? $0 : nil }
            }
        }

        var meanOffset: Double { offsets.reduce(0, +) / Double(max(1, offsets.count)) }
    }

    /// Records with ffmpeg, and measures the recording.
    ///
    /// - Parameter input: ffmpeg's options, with `-i`.
    static func record(_ input: [String], seconds: Int) async throws -> Recording {
        let folder = try TemporaryFolder()
        let file = folder.file("recording.mkv")
        let outcome = try await Command.run(
            ["ffmpeg", "-nostdin", "-v", "error"] + input + ["-map", "0", "-c", "copy", "-t", "\(seconds)", file],
            within: Double(seconds) + 20)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics)")
        let probe = try await Command.run(
            ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name:format=duration", "-of", "csv=p=0", file],
            within: 20)
        let lines = probe.text.split(separator: "\n").map(String.init)
        return Recording(
            codecs: Array(lines.dropLast()), seconds: lines.last.flatMap(Double.init) ?? 0,
            flashes: try await starts(
                in: file, "0:v", "-vf", brightness + "-", above: 128),
            tones: lines.count < 3
                ? []
                : try await starts(
                    in: file, "0:a", "-af",
                    "aresample=48000,asetnsamples=n=48,astats=metadata=1:reset=1,"
                        + "ametadata=print:key=lavfi.astats.Overall.Peak_level:file=-", above: -20))
    }

    private static let brightness = "scale=16:16,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file="
    private static let loudness =
        "aresample=48000,asetnsamples=n=48,astats=metadata=1:reset=1,"
        + "ametadata=print:key=lavfi.astats.Overall.Peak_level:file="

    /// Decodes a stream as it comes, and measures it. Containers do not take frames without a decode time, as RTP carries them.
    static func watch(_ input: [String], seconds: Int) async throws -> Recording {
        let folder = try TemporaryFolder()
        let (video, audio) = (folder.file("video"), folder.file("audio"))
        let null = ["-t", "\(seconds)", "-f", "null", "-"]
        let outcome = try await Command.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-copyts"] + input + ["-map", "0:v", "-vf", brightness + video]
                + ["-fps_mode", "passthrough"] + null + ["-map", "0:a", "-af", loudness + audio] + null,
            within: Double(seconds) + 20)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        func text(_ name: String) -> String { String(decoding: folder.bytes(name), as: UTF8.self) }
        return Recording(
            codecs: [], seconds: Double(seconds), flashes: starts(of: text("video"), above: 128),
            tones: starts(of: text("audio"), above: -20))
    }

    /// The times at which a value that ffmpeg's filters print begins to be above the limit.
    private static func starts(
        in file: String, _ stream: String, _ option: String, _ filters: String, above limit: Double
    ) async throws -> [Double] {
        let outcome = try await Command.run(
            [
                "ffmpeg", "-nostdin", "-v", "fatal", "-copyts", "-i", file, "-map", stream, option, filters, "-f",
                "null", "-",
            ],
            within: 30)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        return starts(of: outcome.text, above: limit)
    }

    private static func starts(of text: String, above limit: Double) -> [Double] {
        var starts: [Double] = []
        var time = 0.0
        // The beginning of the recording is no start.
        var isAbove = true
        for line in text.split(separator: "\n") {
            if let range = line.range(of: "pts_time:") {
                time = Double(line[range.upperBound...]) ?? 0
            } else if let place = line.firstIndex(of: "=") {
                // Digital silence has a level of minus infinity.
                let value = Double(line[line.index(after: place)...]) ?? -.infinity
                if value > limit, !isAbove { starts.append(time) }
                isAbove = value > limit
            }
        }
        return starts
    }
}
