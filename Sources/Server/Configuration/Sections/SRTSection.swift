import SRTServer

extension Configuration {
    /// The SRT server.
    public struct SRT: Hashable, Sendable {
        public var serve = RTMP.Serving.auto
        public var port = 8890
        public var latencyMilliseconds = 120
        public var viewers = 64
        public var requirePassphrase = false

        public init() {}
    }

    /// Serves SRT at a port; 0 for not at all.
    public mutating func serveSRT(at port: Int) {
        srt.serve = port == 0 ? .no : .yes
        if port != 0 { srt.port = port }
    }

    /// The option because of which paths without a passphrase are refused over SRT; `nil` if they are served.
    var srtPassphraseDemand: ServerOptions.PassphraseDemand? {
        if tls.encryption == .strict { return .strictEncryption }
        return srt.requirePassphrase ? .requirePassphrase : nil
    }

    /// What clients of a path need over SRT.
    func srtAccess(to path: Path) -> StartupNotice.SRTAccess {
        guard path.srt.passphrase.isEmpty else { return .passphrase }
        return srtPassphraseDemand == nil ? .clear : .refused
    }

    /// Whether there is an SRT server.
    public var servesSRT: Bool {
        switch srt.serve {
        case .yes: true
        case .no: false
        case .auto: srt != SRT() || servedPaths.values.contains { $0.source == .publish } || !publishPatterns.isEmpty
        }
    }
}

extension Schema<Configuration.SRT> {
    static var srt: Self {
        Schema(
            takingEffect: .serverRestart,
            .choice(
                "serve", \.serve,
                "auto: if a path takes publishers at the start, or an option below differs from its default; if the port is in use or "
                    + "libsrt is missing, the server runs without SRT. yes: always. no: never."),
            .integer(
                "port", \.port, in: 1...65_535, unit: "UDP port",
                "Port for srt://. SRT has no standard port; other servers use 8890, too."),
            .integer(
                "latencyMilliseconds", \.latencyMilliseconds, in: 20...10_000, unit: "milliseconds",
                "The time within which a lost packet can be sent again, if a path has no other and the client wants no more: three to "
                    + "four round trips. ffmpeg, VLC and libsrt have the same default."),
            .integer(
                "viewers", \.viewers, in: 0...1_000, unit: "viewers",
                "Viewers over SRT at a time. Each costs twenty times as much processor time as one over RTP, and 0.9 MB: 64 viewers of 2 "
                    + "Mbit/s take a quarter of a core."),
            .boolean(
                "requirePassphrase", \.requirePassphrase,
                "Whether paths without srt.passphrase are refused over SRT, for publishers and viewers. With tls.encryption: strict "
                    + "they always are."))
    }
}
