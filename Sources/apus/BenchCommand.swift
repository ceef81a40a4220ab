import ArgumentParser
import FoundationEssentials
import Measuring
import RTSPClient

/// `apus bench`: how a server holds up, seen from its viewers.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure an RTSP server from its viewers' side, or what this machine can do without one.",
        subcommands: [
            BenchViewersCommand.self, BenchJoinsCommand.self, BenchEncodingCommand.self,
            BenchLimitCommand.self,
        ])
}

/// Prints a report for people, or for machines.
func printReport(_ report: some Encodable, table: String, asJSON: Bool) throws {
    guard asJSON else { return print(table, terminator: "") }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
}

extension SessionTransport: ExpressibleByArgument {}

/// What both benches are told.
struct BenchOptions: ParsableArguments {
    @Option(help: "The stream: rtsp://host:port/path, or rtsps://.")
    var url: String

    @Option(help: "How many viewers.")
    var count = 1

    @Option(help: "How their packets come: udp, tcp or multicast.")
    var transport = SessionTransport.tcp

    @OptionGroup var security: SecurityOptions

    @Flag(help: "Print the report as JSON.")
    var json = false

    @Flag(name: .customLong("fail-on-gap"), help: "Exit with 1 also when a viewer missed a packet.")
    var failOnGap = false

    func validate() throws {
        guard (1...100_000).contains(count) else { throw ValidationError("--count is 1 to 100000") }
    }

    func session() throws -> SessionPlan {
        do {
            var plan = try SessionPlan(url, transport: transport)
            try plan.prepareLogin()
            try plan.prepareSecurity(security)
            plan.userAgent = "apus-bench"
            return plan
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Prints the report; the exit status says whether all went well.
    func finish(_ report: some Encodable, table: String, allPlayed: Bool, hasNoGap: Bool) throws {
        try printReport(report, table: table, asJSON: json)
        guard allPlayed, hasNoGap || !failOnGap else { throw ExitCode.failure }
    }
}

struct BenchViewersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewers", abstract: "Watch a stream many times at once, and count what is missing or late.")

    @OptionGroup var options: BenchOptions

    @Option(help: "How long, in seconds.")
    var seconds = 10.0

    @Option(help: "Viewers that join per second.")
    var ramp = 100.0

    @Option(help: "Further TCP viewers that stop reading after PLAY.")
    var stalled = 0

    @Option(name: .customLong("half-rate"), help: "Further TCP viewers that read at half the stream's rate.")
    var halfRate = 0

    @Option(help: "Further viewers that join each second and vanish without TEARDOWN.")
    var churn = 0

    @Option(name: .customLong("late-ms"), help: "Access units later than this, in milliseconds, are not in time.")
    var lateMilliseconds: Int64 = 100

    @Flag(
        help: """
            Over UDP, have the kernel cut trains of packets on arrival, as for an ordinary player. Over loopback the \
            server's processor pays for that.
            """)
    var cut = false

    @Option(name: .customLong("server-pid"), help: "The server's process, to watch what it uses.")
    var serverPID: Int32?

    func validate() throws {
        guard seconds > 0, seconds <= 1e6 else { throw ValidationError("--seconds is more than 0") }
        guard ramp > 0, ramp <= 1e6 else { throw ValidationError("--ramp is more than 0") }
        let others = [stalled, halfRate, churn]
        guard others.allSatisfy({ (0...10_000).contains($0) }) else {
            throw ValidationError("--stalled, --half-rate and --churn are 0 to 10000")
        }
        guard (0...3_600_000).contains(lateMilliseconds) else { throw ValidationError("--late-ms is 0 to 3600000") }
        let joined = Double(options.count) / ramp
        guard joined < seconds else {
            throw ValidationError("the viewers need \(joined) s to join: lengthen --seconds")
        }
        guard others.allSatisfy({ $0 == 0 }) || seconds > 4 else {
            throw ValidationError("--stalled, --half-rate and --churn begin after 3 s: lengthen --seconds")
        }
    }

    func run() throws {
        var plan = ViewersPlan(session: try options.session(), count: options.count, seconds: seconds)
        plan.rampPerSecond = ramp
        plan.stalled = stalled
        plan.halfRate = halfRate
        plan.churnPerSecond = churn
        plan.lateMilliseconds = lateMilliseconds
        if cut { plan.session.trainArrival = .cut }
        plan.server = serverPID.map { ServerProcess(processID: $0) }
        let report = try ViewersBench.run(plan, progress: ProgressLine.ifTerminal())
        ProgressLine.clear()
        try options.finish(
            report, table: report.table, allPlayed: report.allPlayed, hasNoGap: report.hasNoGap)
    }
}

struct BenchJoinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "joins", abstract: "Join a stream again and again at random instants, and time the first picture.")

    @OptionGroup var options: BenchOptions

    @Option(name: .customLong("stay-ms"), help: "How long each viewer stays after its first picture.")
    var stayMilliseconds: Int64 = 1_000

    @Option(name: .customLong("pause-ms"), help: "The longest of the random pauses between viewers.")
    var pauseMilliseconds: Int64 = 1_000

    func validate() throws {
        guard (0...600_000).contains(stayMilliseconds), (0...600_000).contains(pauseMilliseconds) else {
            throw ValidationError("--stay-ms and --pause-ms are 0 to 600000")
        }
    }

    func run() throws {
        var plan = JoinsPlan(session: try options.session(), count: options.count)
        plan.stayMilliseconds = stayMilliseconds
        plan.pauseMilliseconds = pauseMilliseconds
        let report = try JoinsBench.run(plan)
        try options.finish(
            report, table: report.table, allPlayed: report.allPlayed, hasNoGap: report.hasNoGap)
    }
}
