import ArgumentParser
import RTSP
import RTSPClient

/// The stream that `measure` or a bench plays, and its transport.
struct StreamOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The URL of the stream, such as rtsp://192.168.1.20/cam or http://192.168.1.20:8888/cam/whep.",
            valueName: "url"))
    var stream: String?

    @Option(name: .customLong("url"), help: ArgumentHelp("The stream, as an option.", valueName: "url"))
    var option: String?

    @Option(help: "The transport of RTSP: udp, tcp or multicast; udp by default, and tcp for rtsps://.")
    var transport: SessionTransport?

    @OptionGroup var security: SecurityOptions

    func validate() throws {
        guard (stream == nil) != (option == nil) else {
            throw ValidationError(stream == nil ? "the URL of the stream is missing" : "there are two URLs; give one")
        }
    }

    /// The URL as the user wrote it.
    var text: String { stream ?? option ?? "" }

    /// Checks the URL, and the options that its scheme requires.
    func validateURL() throws {
        guard let url = RequestURL(text), ["rtsp:", "rtsps:"].contains(where: url.text.lowercased().hasPrefix) else {
            throw ValidationError(
                "\(UserInformation.removed(from: text)) is not an RTSP URL, such as rtsp://192.168.1.20/cam")
        }
        guard url.isSecure else { return }
        let missing = [
            transport == .tcp || transport == nil ? nil : "--transport tcp", security.insecure ? nil : "--insecure",
        ]
        .compactMap(\.self)
        guard missing.isEmpty else {
            throw ValidationError(
                "rtsps:// needs \(missing.joined(separator: " and ")): media comes inside the TLS connection, and "
                    + "certificates are not verified yet")
        }
    }

    /// - Throws: `ValidationError` for wrong options, and other errors that prevent a session.
    func session(userAgent: String) throws -> SessionPlan {
        try validateURL()
        do {
            let isSecure = RequestURL(text)?.isSecure == true
            var plan = try SessionPlan(text, transport: transport ?? (isSecure ? .tcp : .udp))
            plan.userAgent = userAgent
            // A measurement is of the server that its URL names.
            plan.redirectionLimit = 0
            try plan.prepareLogin()
            try plan.prepareSecurity()
            return plan
        } catch let end as ClientSessionEnd {
            switch end {
            case .unusableURL, .unsupportedScheme, .unprotectedMedia: throw ValidationError("\(end)")
            default: throw end
            }
        }
    }
}

/// Whether the server's certificate must be valid.
struct SecurityOptions: ParsableArguments {
    @Flag(
        help:
            "Accept any certificate of rtsps:// and https://; required for rtsps://, which verifies none yet."
    )
    var insecure = false
}

extension SessionTransport: ExpressibleByArgument {}
