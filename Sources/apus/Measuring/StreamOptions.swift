import ArgumentParser
import RTSP
import RTSPClient

/// Which stream `measure` and the benches play, and how.
struct StreamOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The stream, rtsp://host:port/path or rtsps://.", valueName: "url"))
    var stream: String?

    @Option(name: .customLong("url"), help: ArgumentHelp("The same, as an option.", valueName: "url"))
    var option: String?

    @Option(help: "How its packets come: udp, tcp or multicast; udp by default, and tcp for rtsps://.")
    var transport: SessionTransport?

    @OptionGroup var security: SecurityOptions

    func validate() throws {
        guard (stream == nil) != (option == nil) else {
            throw ValidationError(stream == nil ? "the stream's URL is missing" : "two URLs: give one")
        }
    }

    /// As the user wrote it.
    var text: String { stream ?? option ?? "" }

    /// - Throws: `ValidationError` for a URL that cannot be meant, and what else prevents a session.
    func session(userAgent: String) throws -> SessionPlan {
        do {
            let isSecure = RequestURL(text)?.isSecure == true
            var plan = try SessionPlan(text, transport: transport ?? (isSecure ? .tcp : .udp))
            plan.userAgent = userAgent
            try plan.prepareLogin()
            try plan.prepareSecurity(security)
            return plan
        } catch let end as ClientSessionEnd {
            switch end {
            case .unusableURL, .unsupportedScheme, .unprotectedMedia: throw ValidationError("\(end)")
            default: throw end
            }
        }
    }
}

extension SessionTransport: ExpressibleByArgument {}
