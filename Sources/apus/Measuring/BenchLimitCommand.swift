import ArgumentParser
import Measuring

struct BenchLimitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Measure what this kernel takes to send a stream to many viewers, without a server.",
        discussion: """
            Needs no server: sends to sockets of its own over loopback. Read the processor time per gigabyte that \
            'bench viewers' tells of a server as a ratio to this one.


            """
                + Vocabulary.limit.help(
                    """
                      train-cost, cut-train-cost, datagram-cost, tcp-cost
                                                   processor seconds per gigabyte: no unit
                      missing                      lost, or not taken: %
                    """, incomplete: "the run is void"))

    @Option(help: "How many viewers.")
    var count = 1_000

    @Option(help: "Of the stream, in bits per second.")
    var bitrate = 2_000_000

    @Option(help: "Access units per second.")
    var fps = 30.0

    @Option(name: .customLong("packets-per-unit"), help: "Packets of an access unit, on average.")
    var packetsPerUnit = 7.4

    @Option(help: "How long each way of sending is measured, in seconds.")
    var seconds = 3.0

    @Flag(help: "Send as fast as the receivers read, not at the stream's rate.")
    var unpaced = false

    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard (1...10_000).contains(count) else { throw ValidationError("--count is 1 to 10000") }
        guard (8...1_000_000_000).contains(bitrate) else { throw ValidationError("--bitrate is 8 to 1000000000") }
        guard fps > 0, fps <= 1_000 else { throw ValidationError("--fps is more than 0, at most 1000") }
        guard seconds > 0, seconds <= 1e5 else { throw ValidationError("--seconds is more than 0") }
        _ = try plan()
        _ = try report.thresholds(in: .limit)
    }

    func run() throws {
        try report.publish(in: .limit) { try LimitBench.run(plan()) }
    }

    private func plan() throws -> LimitPlan {
        do throws(LimitFailure) {
            var plan = try LimitPlan(
                viewers: count, bitsPerSecond: bitrate, unitsPerSecond: fps, packetsPerUnit: packetsPerUnit)
            (plan.seconds, plan.isPaced) = (seconds, !unpaced)
            return plan
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
