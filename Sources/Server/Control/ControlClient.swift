import FoundationEssentials
import Glibc
import Media
import Reactor

/// A verb's side of the control socket.
public enum ControlClient {
    /// The server answers at once, or is gone.
    private static let patienceMilliseconds: Int64 = 10_000
    private static let maximumAnswerBytes = 1_048_576

    /// Sends one request to the server at `place`, and waits for the answer. Blocks, 10 s at most.
    public static func ask(_ request: ControlRequest, at place: ControlPlace) throws(ControlFailure) -> ControlAnswer {
        let socket: UnixSocket
        do throws(SystemError) {
            socket = try UnixSocket(connectingTo: place.path)
        } catch {
            throw ControlFailure(error, at: place)
        }
        // Texts can always be written as JSON.
        var rest = ArraySlice(((try? JSONEncoder().encode(request)) ?? Data()) + [UInt8(ascii: "\n")])
        guard rest.count <= ControlConnection.maximumLineBytes else {
            throw ControlFailure("so much cannot be set at once")
        }
        while !rest.isEmpty, case .wrote(let count) = socket.write(rest) { rest = rest.dropFirst(count) }
        // Where it was not taken whole, the server says why.
        return try decoded(answer(on: socket))
    }

    private static func answer(on socket: borrowing UnixSocket) -> [UInt8] {
        let deadline = MonotonicTime.now().advanced(byMilliseconds: patienceMilliseconds)
        var bytes: [UInt8] = []
        while !bytes.contains(UInt8(ascii: "\n")), bytes.count < maximumAnswerBytes {
            let milliseconds = Int32(clamping: (deadline - .now()) / 1_000_000)
            guard milliseconds > 0, socket.waitToRead(milliseconds: milliseconds) else { break }
            guard case .bytes(let more) = socket.read(atMost: 65_536) else { break }
            bytes += more
        }
        return bytes
    }

    private static func decoded(_ bytes: [UInt8]) throws(ControlFailure) -> ControlAnswer {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        do {
            return try JSONDecoder().decode(ControlAnswer.self, from: Data(line))
        } catch {
            throw ControlFailure("the server did not answer")
        }
    }
}

extension ControlFailure {
    fileprivate init(_ error: SystemError, at place: ControlPlace) {
        switch error.code {
        case ENOENT, ECONNREFUSED:
            self.init(
                "no server answers at \(place.path): is one running? Name its --port or --config where it has any")
        case EACCES, EPERM:
            self.init("no right to speak to the server at \(place.path): be the user who runs it, or root")
        case EAGAIN:
            self.init("too many speak to the server at \(place.path); try again")
        default:
            self.init("cannot speak to the server at \(place.path): \(error)")
        }
    }
}
