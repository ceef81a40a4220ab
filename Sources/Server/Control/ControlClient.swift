import FoundationEssentials
import Glibc
import Media
import Reactor

/// The client side of the control socket.
public enum ControlClient {
    /// The server answers at once, unless it tests filters with a slow input.
    private static let timeoutMilliseconds: Int64 = 10_000
    private static let maximumAnswerBytes = 16_777_216

    /// Sends one request to the first server that listens at one of `places`, and waits for the answer. Blocks for at most 10 s.
    public static func ask(
        _ request: ControlRequest, at places: [ControlSocketPath]
    ) throws(ControlFailure) -> ControlResponse {
        let socket = try connect(toFirstOf: places)
        // Texts can always be written as JSON.
        var rest = ArraySlice(((try? JSONEncoder().encode(request)) ?? Data()) + [UInt8(ascii: "\n")])
        guard rest.count <= ControlConnection.maximumLineBytes else {
            throw ControlFailure("too many options for one command; split them into several")
        }
        while !rest.isEmpty, case .wrote(let count) = socket.write(rest) { rest = rest.dropFirst(count) }
        // If the server did not read all of it, its answer gives the reason.
        return try decoded(answer(on: socket))
    }

    private static func connect(toFirstOf places: [ControlSocketPath]) throws(ControlFailure) -> UnixSocket {
        var failures: [(path: String, error: SystemError)] = []
        for place in places {
            do throws(SystemError) {
                return try UnixSocket(connectingTo: place.path)
            } catch {
                failures.append((place.path, error))
            }
        }
        throw ControlFailure(failures)
    }

    private static func answer(on socket: borrowing UnixSocket) -> [UInt8] {
        let deadline = MonotonicTime.now().advanced(byMilliseconds: timeoutMilliseconds)
        var bytes: [UInt8] = []
        while !bytes.contains(UInt8(ascii: "\n")), bytes.count < maximumAnswerBytes {
            let milliseconds = Int32(clamping: (deadline - .now()) / 1_000_000)
            guard milliseconds > 0, socket.waitToRead(milliseconds: milliseconds) else { break }
            guard case .bytes(let more) = socket.read(atMost: 65_536) else { break }
            bytes += more
        }
        return bytes
    }

    private static func decoded(_ bytes: [UInt8]) throws(ControlFailure) -> ControlResponse {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        do {
            let answer = try JSONDecoder().decode(ControlResponse.self, from: Data(line))
            // The server may belong to another user, and this may be the terminal of root.
            return ControlResponse(isDone: answer.isDone, lines: answer.lines.map(printable), status: answer.status)
        } catch {
            throw ControlFailure(
                "the server did not answer in time; its log shows whether it executes the command later")
        }
    }
}

extension ControlFailure {
    /// Why no server could be reached at any of these paths.
    fileprivate init(_ failures: [(path: String, error: SystemError)]) {
        let silent = failures.filter { [ENOENT, ECONNREFUSED].contains($0.error.code) }.map(\.path)
        let shut = failures.filter { [EACCES, EPERM].contains($0.error.code) }.map(\.path)
        let silence = "no server listens at \(Self.list(silent))"
        if let (path, error) = failures.first(where: { !silent.contains($0.path) && !shut.contains($0.path) }) {
            self.init(
                error.code == EAGAIN
                    ? "too many commands wait for the server at \(path); try again"
                    : "cannot connect to the server at \(path): \(error)")
        } else if shut.isEmpty {
            self.init("\(silence); if one is running, repeat its --port or --config here", isServerAbsent: true)
        } else {
            self.init(
                "no permission to connect to the server at \(Self.list(shut))\(silent.isEmpty ? "" : ", and \(silence)"); "
                    + "run this command as the user that runs the server, or as root")
        }
    }

    private static func list(_ paths: [String]) -> String { paths.joined(separator: " or ") }
}
