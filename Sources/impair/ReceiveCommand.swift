import ArgumentParser
import Glibc
import Impairment
import Reactor

struct ReceiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Receive the packets of `send`, and compare loss, delay and rate with the settings of the relay.")

    @Option(help: "The UDP port.")
    var port: UInt16

    @Option(help: "The seed of the relay.")
    var seed: UInt64

    @Option(help: "The direction: up (the server receives) or down.")
    var direction: Direction

    @Option(help: "The settings of this direction of the relay.", transform: { try Timetable($0) })
    var expect: Timetable

    @Option(help: "The file to write the numbers of the lost packets to.")
    var lost: String?

    func run() throws {
        var receiver = try ProbeReceiver(port: port)
        guard let series = receiver.receiveSeries() else {
            print("BROKEN  no packet arrived")
            throw ExitCode.failure
        }
        let verification = Verification(
            expect, seed: seed, direction: direction, arrivals: series.arrivals, sentCount: series.sentCount,
            intervalNanoseconds: series.intervalNanoseconds)
        if let lost { try writeLines(verification.lostNumbers.map(String.init), to: lost) }
        let findings = verification.findings
        for finding in findings { print(finding.line) }
        guard findings.allSatisfy({ $0.holds }) else { throw ExitCode.failure }
    }
}

extension Direction: ExpressibleByArgument {
    public init?(argument: String) {
        switch argument {
        case "up": self = .up
        case "down": self = .down
        default: return nil
        }
    }
}

extension Finding {
    /// For example `ok      loss 10.03 % (10.00 requested)`.
    fileprivate var line: String {
        let unit = unit.isEmpty ? "" : " \(unit)"
        return "\(holds ? "ok     " : "BROKEN ") \(name) \(text(measured))\(unit) (\(text(requested)) requested)"
    }
}

/// Three digits behind the point at most.
private func text(_ value: Double) -> String {
    let rounded = (value * 1_000).rounded() / 1_000
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
}

private func writeLines(_ lines: [String], to path: String) throws {
    guard let file = fopen(path, "w") else { throw SystemError(call: "fopen", code: errno) }
    for line in lines { fputs(line + "\n", file) }
    fclose(file)
}
