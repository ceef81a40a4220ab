import Fuzzing
import RTSP
import Wire

/// What a client's state machine has sent, to check its messages.
struct ClientTranscript {
    private var bytes: [UInt8] = []
    /// Requests so far; the last one has this number.
    private(set) var requestCount = 0

    mutating func take(_ message: [UInt8]) {
        // Requests begin with their method; responses to the server's requests begin with the version.
        if !message.starts(with: Array("RTSP/".utf8)) { requestCount += 1 }
        bytes += message
    }

    /// Requires that requests are numbered from one and that all messages are well-formed.
    func check() {
        var limits = Parser.Limits()
        // A description may contain longer URLs, and a challenge may be longer, than a server accepts.
        limits.urlByteCount = 16 * 1024
        limits.headByteCount = 64 * 1024
        var parser = Parser(limits: limits)
        parser.append(bytes.rawSpan)
        var number: UInt32 = 0
        do throws(ParseError) {
            while let element = try parser.next() {
                guard case .request(let request) = element else { continue }
                number += 1
                require(CSeq(request.headers)?.number == number, "requests are numbered from one")
            }
        } catch {
            require(false, "a client's messages are well-formed: \(error)")
        }
        require(!parser.isInsideMessage && number == UInt32(requestCount), "messages are complete")
    }
}
