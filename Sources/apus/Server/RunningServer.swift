import FoundationEssentials
import Reactor
import Server

/// The running server that a command controls, found by its configuration.
struct RunningServer {
    private let places: [ControlSocketPath]

    /// - Parameters:
    ///   - config: the configuration file; `nil` for the default file.
    ///   - port: overrides the port of the configuration.
    init(config: String?, port: Int?) throws {
        var (configuration, _) = try Configuration.load(config)
        if let port { configuration.server.port = port }
        places = ControlSocketPath.all(configuration)
        guard !places.isEmpty else { throw NoControlSocket() }
    }

    /// Sends a request and returns the response.
    ///
    /// - Throws: if no server responds, or if the server refuses the request.
    func ask(_ request: ControlRequest) throws -> ControlResponse {
        let answer: ControlResponse
        do throws(ControlFailure) {
            answer = try ControlClient.ask(request, at: places)
        } catch {
            throw Unreachable(failure: error, otherPorts: otherPorts)
        }
        guard answer.isDone else { throw Refused(reasons: answer.lines) }
        return answer
    }

    /// The ports of other servers that this user can control, in the folders of the control sockets.
    private var otherPorts: [Int] {
        let paths = places.map(\.path)
        let folders = Set(paths.map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) })
        let ports = folders.flatMap { folder in
            // A missing folder has no sockets.
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { name -> Int? in
                guard name.hasPrefix("control-"), !paths.contains("\(folder)/\(name)"),
                    Self.listens("\(folder)/\(name)")
                else { return nil }
                return Int(name.dropFirst("control-".count))
            }
        }
        return Set(ports).sorted()
    }

    /// Whether a server listens at the socket; a server that crashed leaves its socket behind.
    private static func listens(_ path: String) -> Bool {
        do throws(SystemError) {
            _ = try UnixSocket(connectingTo: path)
            return true
        } catch {
            return false
        }
    }

    /// No server could be reached.
    struct Unreachable: Error, CustomStringConvertible {
        fileprivate let failure: ControlFailure
        fileprivate let otherPorts: [Int]

        /// Whether no server runs, as far as this user can see.
        var isAbsent: Bool { failure.isServerAbsent && otherPorts.isEmpty }

        var description: String {
            guard !otherPorts.isEmpty else { return failure.description }
            let ports = otherPorts.map { "--port \($0)" }.joined(separator: ", ")
            return "\(failure); running servers: \(ports)"
        }
    }

    private struct NoControlSocket: Error, CustomStringConvertible {
        let description = "the configuration has no control socket; set control.socket to auto or to a path"
    }

    /// The server refused the request, for these reasons.
    private struct Refused: Error, CustomStringConvertible {
        let reasons: [String]

        var description: String { reasons.joined(separator: "\napus: ") }
    }

    /// The response contains no status.
    struct MissingStatus: Error, CustomStringConvertible {
        let description = "the server did not send its status; is it of the same release, \(apusVersion)?"
    }
}
