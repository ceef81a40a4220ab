import FoundationEssentials
import Glibc
import Media
import Reactor

/// A verb's side of the control socket.
public enum ControlClient {
    /// The server answers at once, unless it tries filters that read something slow.
    private static let timeoutMilliseconds: Int64 = 10_000
    private static let maximumAnswerBytes = 16_777_216

    /// Sends one request to the first server that is at one of `places`, and waits for the answer. Blocks, 10 s at most.
    public static func ask(
        _ request: ControlRequest, at places: [ControlSocketPath]
    ) throws(ControlFailure) -> ControlResponse {
        let socket = try connect(toFirstOf: places)
        // Texts can always be written as JSON.
        var rest = ArraySlice(((try? JSONEncoder().encode(request)) ?? Data()) + [UInt8(ascii: "\n")])
        guard rest.count <= ControlConnection.maximumLineBytes else {
            throw ControlFailure("so much cannot be set at once")
        }
        while !rest.isEmpty, case .wrote(let count) = socket.write(rest) { rest = rest.dropFirst(count) }
        // Where it was not taken whole, the server says why.
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
            // The server may be another user's, and this root's terminal.
            return ControlResponse(isDone: answer.isDone, lines: answer.lines.map(printable), status: answer.status)
        } catch {
            throw ControlFailure("the server did not answer; if it does it later, its log says so")
        }
    }
}

extension ControlFailure {
    /// Why there is no server at any of these places.
    fileprivate init(_ failures: [(path: String, error: SystemError)]) {
        let silent = failures.filter { [ENOENT, ECONNREFUSED].contains($0.error.code) }.map(\.path)
        let shut = failures.filter { [EACCES, EPERM].contains($0.error.code) }.map(\.path)
        let silence = "no server answers at \(Self.list(silent))"
        if let (path, error) = failures.first(where: { !silent.contains($0.path) && !shut.contains($0.path) }) {
            self.init(
                error.code == EAGAIN
                    ? "too many speak to the server at \(path); try again"
                    : "cannot speak to the server at \(path): \(error)")
        } else if shut.isEmpty {
            self.init("\(silence): is one running? Name its --port or --config where it has any")
        } else {
            self.init(
                "no right to speak to a server at \(Self.list(shut))\(silent.isEmpty ? "" : ", and \(silence)"): "
                    + "be the user who runs it, or root")
        }
    }

    private static func list(_ paths: [String]) -> String { paths.joined(separator: " or ") }
}
