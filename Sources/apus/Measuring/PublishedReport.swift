import FoundationEssentials
import Measuring
import RTSP
import Server

/// A report as printed by `--json`: the keys of the report, and the circumstances of the measurement.
struct PublishedReport<Report: Encodable>: Encodable {
    /// `nil` if there is only an error.
    let report: Report?
    let verdict: Verdict
    let error: String?

    private enum CodingKeys: String, CodingKey {
        case version, host, arguments, verdict, error
    }

    func encode(to encoder: any Encoder) throws {
        try report?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(apusVersion, forKey: .version)
        try container.encode(ReportingHost(), forKey: .host)
        try container.encode(Self.arguments, forKey: .arguments)
        try container.encode(verdict, forKey: .verdict)
        try container.encodeIfPresent(error, forKey: .error)
    }

    /// The arguments, without user and password of URLs.
    private static var arguments: [String] {
        CommandLine.arguments.dropFirst().map { $0.contains("://") ? UserInformation.removed(from: $0) : $0 }
    }

    func print() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        writeToStandardOutput(String(decoding: try encoder.encode(self), as: UTF8.self) + "\n")
    }
}

/// The host that measured.
private struct ReportingHost: Encodable {
    var name = Self.line(of: "/proc/sys/kernel/hostname")
    var kernel = Self.line(of: "/proc/sys/kernel/osrelease").map { "Linux \($0)" }
    var processor = Self.processorName
    var processors = ProcessInfo.processInfo.activeProcessorCount

    private static func line(of path: String) -> String? {
        // If the kernel lacks the file, the key is omitted.
        (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n").first.map(String.init)
    }

    private static var processorName: String? {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
    }
}
