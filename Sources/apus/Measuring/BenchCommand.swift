import ArgumentParser
import Measuring
import RTSP
import RTSPClient

/// `apus bench`: measures a server from the viewers' side.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure a server with many viewers, or this machine without a server.",
        subcommands: [
            BenchViewersCommand.self, BenchJoinsCommand.self, BenchEncodingCommand.self,
            BenchLimitCommand.self,
        ])
}

/// The options of the benches that measure a server.
struct BenchOptions: ParsableArguments {
    @OptionGroup var stream: StreamOptions

    @Option(help: "The number of viewers.")
    var count = 1

    @OptionGroup var report: ReportOptions

    @OptionGroup var plot: PlotOptions

    @Flag(name: .customLong("fail-on-gap"), help: "The same as --fail-if 'gaps>0' --fail-if 'lost>0'.")
    var failOnGap = false

    func validate() throws {
        guard (1...100_000).contains(count) else { throw ValidationError("--count takes 1 to 100000, not \(count)") }
    }

    /// Checks the URL of a stream in RTP packets.
    func validatePackets() throws {
        try stream.namesWHEP ? stream.validateWHEP() : stream.validateURL()
    }

    /// The stream in RTP packets.
    func packets() throws -> PlayedStream {
        guard stream.namesWHEP else { return .rtsp(try stream.session(userAgent: "apus-bench")) }
        return .whep(try stream.playback(userAgent: "apus-bench"))
    }

    /// Measures, and prints the result as `measure` does.
    ///
    /// - Parameter target: what is measured, made of the URL.
    func publish<Target>(
        in vocabulary: Vocabulary, _ target: () throws -> Target,
        _ measure: (Target) throws(ClientSessionEnd) -> some Measurement
    ) throws {
        let gap = failOnGap ? try ["gaps>0", "lost>0"].map { try Threshold($0, in: vocabulary) } : []
        try report.publish(plot: plot.plot, in: vocabulary, and: gap) {
            let target = try target()
            do throws(ClientSessionEnd) {
                return try measure(target)
            } catch {
                throw StreamFailure(url: UserInformation.removed(from: stream.text), reason: "\(error)")
            }
        }
    }
}

extension Vocabulary {
    /// The paragraphs of a command's help on thresholds and exit statuses; `incomplete` names the failure with exit status 1.
    func help(_ quantities: String, incomplete: String) -> String {
        """
        THRESHOLD is a condition that must not hold: a quantity, then > >= < or <=, then a number with its unit. Quantities:

        \(quantities)

        Exit status: 0 success; 1 nothing could be measured, or \(incomplete); 2 a threshold was exceeded; 64 wrong arguments.

        Details: docs/measuring.md.
        """
    }
}

struct BenchViewersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewers",
        abstract: "Play a stream many times at once, and count lost and late frames.",
        discussion: """
            The URL is rtsp://…, rtsps://…, http://host:8888/cam/whep (WebRTC), or over HTTP
            http://host:8888/cam/index.mp4 (the endless MP4 file), ws://host:8888/cam/ws (a WebSocket, as the web page
            has) or http://host:8888/cam/index.m3u8 (HLS with low latency; --segments: without).

            Viewers over WebRTC decrypt all packets of the first second, and then one of 16, unless --decrypt-all is
            given. Instead of the response to PLAY, the end of the DTLS handshake counts.


            """
                + Vocabulary.viewers.help(
                    """
                      p50, p99.9, min, mean, max   the same as arrival.p50, …: us, ms, s
                      arrival.p50, …               capture to last packet
                      hand-over.p50, …             hand-over to the server to last packet
                      play.p50, …                  connecting to the response to PLAY
                      first-decodable.p50, …       connecting to the first keyframe
                      play-to-packet.p50, …        the response to PLAY to the first packet
                      play-to-decodable.p50, …     the response to PLAY to the first keyframe
                      fan-out.p50, …               the first to the last viewer of the same frame
                      half-rate-oldest             oldest frame at a half-rate viewer
                      loss: %
                      lost, gaps, duplicates, reordered, units, units-in-time, broken,
                      established, failed: no unit
                      server-cost                  processor seconds per gigabyte: no unit
                    """, incomplete: "a session failed"))

    @OptionGroup var options: BenchOptions

    @Option(help: "The duration in seconds.")
    var seconds = 10.0

    @Option(help: "The number of viewers that join per second.")
    var ramp = 100.0

    @Option(help: "Further TCP viewers that stop reading after PLAY.")
    var stalled = 0

    @Option(name: .customLong("half-rate"), help: "Further TCP viewers that read at half the stream's rate.")
    var halfRate = 0

    @Option(help: "Further viewers that join each second and disappear without leaving.")
    var churn = 0

    @Option(name: .customLong("late-ms"), help: "Access units later than this, in milliseconds, count as late.")
    var lateMilliseconds: Int64 = 100

    @Option(
        name: .customLong("gather-ms"),
        help: """
            Wait so many milliseconds after each reading. Over loopback, a server also pays for waking this receiver.
            """)
    var gatherMilliseconds: Int64 = 0

    @Flag(
        help: """
            Receive over UDP without GRO, like an ordinary player. Over loopback, this costs processor time of the server.
            """)
    var cut = false

    @Flag(name: .customLong("decrypt-all"), help: "Decrypt all packets of WebRTC, which costs this receiver time.")
    var decryptAll = false

    @Flag(help: "HLS without low latency: whole segments.")
    var segments = false

    @Option(name: .customLong("server-pid"), help: "The server's process, to measure its processor time and memory.")
    var serverPID: Int32?

    func validate() throws {
        let format = try options.stream.overHTTP()?.format
        let isOverHTTP = format != nil
        if !isOverHTTP { try options.validatePackets() }
        guard !isOverHTTP || options.stream.transport == nil && !cut else {
            throw ValidationError("--transport and --cut are not for http:// and ws://, which are over TCP")
        }
        guard !decryptAll || options.stream.namesWHEP else { throw ValidationError("--decrypt-all is for WHEP") }
        guard !segments || format == .hls(.lowLatency) else {
            throw ValidationError("--segments is for HLS: http://…/index.m3u8")
        }
        guard seconds > 0, seconds <= 1e6 else { throw ValidationError("--seconds takes more than 0") }
        guard ramp > 0, ramp <= 1e6 else { throw ValidationError("--ramp takes more than 0") }
        let others = [stalled, halfRate, churn]
        guard !isOverHTTP || others.allSatisfy({ $0 == 0 }) else {
            throw ValidationError("--stalled, --half-rate and --churn are not for http:// and ws://")
        }
        guard !options.stream.namesWHEP || stalled == 0 && halfRate == 0 else {
            throw ValidationError("--stalled and --half-rate are for rtsp://")
        }
        guard others.allSatisfy({ (0...10_000).contains($0) }) else {
            throw ValidationError("--stalled, --half-rate and --churn take 0 to 10000")
        }
        guard (0...3_600_000).contains(lateMilliseconds) else { throw ValidationError("--late-ms takes 0 to 3600000") }
        guard (0...1_000).contains(gatherMilliseconds) else { throw ValidationError("--gather-ms takes 0 to 1000") }
        _ = try options.report.thresholds(in: .viewers)
        let joined = Double(options.count) / ramp
        guard joined < seconds else {
            throw ValidationError("the viewers need \(joined) s to join; increase --seconds or --ramp")
        }
        guard others.allSatisfy({ $0 == 0 }) || seconds > 4 else {
            throw ValidationError("--stalled, --half-rate and --churn begin after 3 s; increase --seconds")
        }
    }

    func run() throws {
        try options.publish(in: .viewers, target) { target throws(ClientSessionEnd) in
            try ViewersBench.run(plan(target), progress: ProgressLine.ifTerminal())
        }
    }

    private func target() throws -> ViewersPlan.Target {
        if var stream = try options.stream.overHTTP() {
            if segments { stream.format = .hls(.segments) }
            return .http(stream)
        }
        switch try options.packets() {
        case .rtsp(var plan):
            if cut { plan.gsoBatchArrival = .cut }
            return .packets(.rtsp(plan))
        case .whep(var plan):
            if cut { plan.gsoBatchArrival = .cut }
            if !decryptAll { plan.decryption = .oneOf(Self.decryptedShare) }
            return .packets(.whep(plan))
        }
    }

    /// Enough to notice wrong keys within a fraction of a second, and little enough that one core receives 500 viewers.
    private static let decryptedShare = 16

    private func plan(_ target: ViewersPlan.Target) -> ViewersPlan {
        var plan = ViewersPlan(target, count: options.count, seconds: seconds)
        plan.rampPerSecond = ramp
        plan.stalled = stalled
        plan.halfRate = halfRate
        plan.churnPerSecond = churn
        plan.lateMilliseconds = lateMilliseconds
        plan.gatherMilliseconds = gatherMilliseconds
        plan.server = serverPID.map { ServerProcess(processID: $0) }
        plan.keepsFrames = options.plot.plot != nil
        return plan
    }
}

struct BenchJoinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "joins",
        abstract: "Join a stream over RTSP or WebRTC at random times, and measure the time to the first frame.",
        discussion: Vocabulary.joins.help(
            """
              p50, p99.9, min, mean, max   the same as first-decodable.p50, …: us, ms, s
              first-decodable.p50, …       connecting to the first keyframe
              play.p50, …                  connecting to the response to PLAY (WebRTC: to the keys of DTLS)
              play-to-packet.p50, …        the response to PLAY to the first packet
              loss: %                      lost, gaps, joined, failed: no unit
            """, incomplete: "a join failed"))

    @OptionGroup var options: BenchOptions

    @Option(name: .customLong("stay-ms"), help: "How long each viewer stays after its first frame.")
    var stayMilliseconds: Int64 = 1_000

    @Option(name: .customLong("pause-ms"), help: "The maximum of the random pauses between viewers.")
    var pauseMilliseconds: Int64 = 1_000

    func validate() throws {
        try options.validatePackets()
        guard (0...600_000).contains(stayMilliseconds), (0...600_000).contains(pauseMilliseconds) else {
            throw ValidationError("--stay-ms and --pause-ms take 0 to 600000")
        }
        _ = try options.report.thresholds(in: .joins)
    }

    func run() throws {
        try options.publish(in: .joins, options.packets) { stream throws(ClientSessionEnd) in
            var plan = JoinsPlan(stream, count: options.count)
            plan.stayMilliseconds = stayMilliseconds
            plan.pauseMilliseconds = pauseMilliseconds
            return try JoinsBench.run(plan)
        }
    }
}
