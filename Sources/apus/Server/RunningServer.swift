import Server

/// The server that a verb speaks to, found by the configuration that it runs with.
struct RunningServer {
    private let places: [ControlSocketPath]

    /// - Parameters:
    ///   - config: its file; the usual one where `nil`.
    ///   - port: instead of the file's.
    init(config: String?, port: Int?) throws {
        var (configuration, _) = try Configuration.load(config)
        if let port { configuration.server.port = port }
        places = ControlSocketPath.all(configuration)
        guard !places.isEmpty else { throw NoControlSocket() }
    }

    /// What it answers, where it does what it is asked for.
    func ask(_ request: ControlRequest) throws -> ControlResponse {
        let answer = try ControlClient.ask(request, at: places)
        guard answer.isDone else { throw Refused(reasons: answer.lines) }
        return answer
    }

    private struct NoControlSocket: Error, CustomStringConvertible {
        let description = "the configuration has no control socket: give control.socket a path, or auto"
    }

    /// The server's reasons, a line each.
    private struct Refused: Error, CustomStringConvertible {
        let reasons: [String]

        var description: String { reasons.joined(separator: "\napus: ") }
    }

    /// It answered, and did not say what it was asked.
    struct MissingStatus: Error, CustomStringConvertible {
        let description = "the server does not tell its status; is it of the same release, \(apusVersion)?"
    }
}
