import FoundationEssentials
import Reactor

/// One client of the control socket: it sends one line, gets one line, and is closed. Confined to the control thread.
final class ControlConnection {
    let socket: UnixSocket
    /// The event that it waits for.
    var interest: Interest = .read
    private var input: [UInt8] = []
    /// The bytes that are not yet written; `nil` before there is an answer.
    private var output: ArraySlice<UInt8>?

    /// No request of Apus is longer.
    static let maximumLineBytes = 65_536

    init(_ socket: consuming UnixSocket) {
        self.socket = socket
    }

    /// Reads and writes as far as the socket allows.
    ///
    /// - Parameter answer: makes the answer to a line.
    /// - Returns: the event to wait for; `nil` if the connection is finished.
    func proceed(_ answer: ([UInt8]) -> ControlResponse) -> Interest? {
        if output == nil {
            switch readLine() {
            case .unfinished: return .read
            case .line(let line): say(answer(line))
            case .tooLong: say(.refused(["a request is one line of at most \(Self.maximumLineBytes) bytes"]))
            case .ended: return nil
            }
        }
        return write()
    }

    /// Sets the answer, unless there is one already. `proceed` writes it.
    func say(_ answer: ControlResponse) {
        guard output == nil else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Text and a Boolean can always be written as JSON.
        let json = (try? encoder.encode(answer)) ?? Data()
        output = ArraySlice(json + [UInt8(ascii: "\n")])
    }

    private enum Input {
        case unfinished
        /// Without its line feed. Bytes after it are ignored.
        case line([UInt8])
        case tooLong
        case ended
    }

    private func readLine() -> Input {
        while true {
            switch socket.read(atMost: 4_096) {
            case .bytes(let bytes):
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    input += bytes[..<end]
                    return input.count <= Self.maximumLineBytes ? .line(input) : .tooLong
                }
                input += bytes
                guard input.count <= Self.maximumLineBytes else { return .tooLong }
            case .wouldBlock: return .unfinished
            case .end, .failed: return .ended
            }
        }
    }

    private func write() -> Interest? {
        while let rest = output, !rest.isEmpty {
            switch socket.write(rest) {
            case .wrote(let count): output = rest.dropFirst(count)
            case .wouldBlock: return .write
            case .failed: return nil
            }
        }
        return nil
    }
}
