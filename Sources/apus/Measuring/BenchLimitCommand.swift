import ArgumentParser
import Measuring

struct BenchLimitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Measure what this kernel needs to send a stream to many viewers, without a server.",
        discussion: """
            Needs no server: it sends to its own sockets over loopback. Compare the processor time per gigabyte that \
            'bench viewers' reports for a server with this result.


            """
                + Vocabulary.limit.help(
                    """
                      train-cost, cut-train-cost, datagram-cost, tcp-cost
                                                   processor seconds per gigabyte: no unit
                                                   (GSO with GRO, GSO, single datagrams, TCP)
                      missing                      lost or refused bytes: %
                    """, incomplete: "the run is invalid"))

    @Option(help: "The number of viewers.")
    var count = 1_000

    @Option(help: "The bitrate of the stream in bit/s.")
    var bitrate = 2_000_000

    @Option(help: "Access units per second.")
    var fps = 30.0

    @Option(name: .customLong("packets-per-unit"), help: "The average number of packets per access unit.")
    var packetsPerUnit = 7.4

    @Option(help: "How long each sending method is measured, in seconds.")
    var seconds = 3.0

    @Flag(help: "Send as fast as the receivers read, instead of at the stream's rate.")
    var unpaced = false

    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard (1...10_000).contains(count) else { throw ValidationError("--count takes 1 to 10000, not \(count)") }
        guard (8...1_000_000_000).contains(bitrate) else {
            throw ValidationError("--bitrate takes 8 to 1000000000, not \(bitrate)")
        }
        guard fps > 0, fps <= 1_000 else {
            throw ValidationError("--fps takes more than 0 and at most 1000, not \(fps)")
        }
        guard seconds > 0, seconds <= 1e5 else { throw ValidationError("--seconds takes more than 0") }
        _ = try plan()
        _ = try report.thresholds(in: .limit)
    }

    func run() throws {
        try report.publish(in: .limit) { try LimitBench.run(plan()) }
    }

    private func plan() throws -> LimitPlan {
        do throws(LimitFailure) {
            var plan = try LimitPlan(
                viewers: count, bitrate: bitrate, unitsPerSecond: fps, packetsPerUnit: packetsPerUnit)
            (plan.seconds, plan.isPaced) = (seconds, !unpaced)
            return plan
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
