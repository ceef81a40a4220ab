import RTSP
import Synchronization
import TestSupport
import Testing

/// How one camera or server answers: texts as they come, in which `#` stands for the number of the request.
struct SimulatedCamera: Sendable, CustomTestStringConvertible {
    var name: String
    var options = "RTSP/1.0 200 OK\r\nCSeq: #\r\nPublic: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n\r\n"
    var describeHead = "RTSP/1.0 200 OK\r\nCSeq: #\r\nContent-Type: application/sdp\r\n"
    var sdp = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=cam\r\nt=0 0\r\n" + video
    var setUp = "RTSP/1.0 200 OK\r\nCSeq: #\r\nSession: 1\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n"
    var play = "RTSP/1.0 200 OK\r\nCSeq: #\r\nSession: 1\r\n\r\n"
    /// Sent before the answer to PLAY, and after it.
    var (before, after): ([UInt8], [UInt8]) = ([], packet())
    /// What the URL of SETUP must end with: for the video, and for audio, which is not sent.
    var track = "/track1"
    var otherTracks = ["/track2"]
    /// What the packet carries that must come.
    var payload: [UInt8] = [0x65, 0x88]
    /// The values of `WWW-Authenticate` in the answer to DESCRIBE without credentials.
    var challenges: [String] = []
    /// The whole of this answer; empty for one with the challenges.
    var unauthorized = ""
    /// What the client's credentials must begin with.
    var credentials = ""
    /// The answer to TEARDOWN.
    var tearDown = "RTSP/1.0 200 OK\r\nCSeq: #\r\n\r\n"
    /// Sent in a datagram after the answer to PLAY, from a port that was not announced.
    var datagram: [UInt8] = []

    static let video = "m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:track1\r\n"

    var testDescription: String { name }

    init(_ name: String, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// An interleaved RTP packet with `payload`.
    static func packet(
        channel: UInt8 = 0, type: UInt8 = 96, number: UInt8 = 1, source: UInt8 = 9, payload: [UInt8] = [0x65, 0x88]
    ) -> [UInt8] {
        interleaved(channel, [0x80, type, 0, number, 0, 0, 0, 1, 0, 0, 0, source] + payload)
    }

    /// Bytes as an interleaved frame.
    static func interleaved(_ channel: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [0x24, channel, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    /// - Parameter note: is called with the method of each request.
    func serve(_ note: @escaping @Sendable (String) -> Void = { _ in }) throws -> ScriptedServer {
        let videoPort = Mutex<Int?>(nil)
        return try ScriptedServer { request, peer in
            note(request.method)
            // Some answer nothing without a User-Agent, or if this field has another spelling.
            guard request.head.contains("\r\nUser-Agent: "), request.head.contains("\r\nCSeq: ") else { return false }
            if let found = request.head.firstMatch(of: /SETUP (\S+) [^$]*client_port=(\d+)-/), found.1.hasSuffix(track)
            {
                videoPort.withLock { $0 = Int(found.2) }
            }
            guard peer.send(answer(request)) else { return false }
            if request.method == "PLAY", !datagram.isEmpty, let port = videoPort.withLock(\.self) {
                LoopbackSocket.send(datagram: datagram, toPort: port)
            }
            return true
        }
    }

    private func answer(_ request: ScriptedServer.Request) -> [UInt8] {
        func text(_ text: String) -> [UInt8] { Array(text.replacing("#", with: request.number).utf8) }
        switch request.method {
        case "OPTIONS": return text(options)
        case "DESCRIBE":
            guard challenges.isEmpty || request.hasCredentials(credentials, for: challenges) else {
                let headers = challenges.map { "WWW-Authenticate: \($0)" }
                return unauthorized.isEmpty
                    ? request.answer(headers, status: "401 Unauthorized") : text(unauthorized)
            }
            return text(describeHead + "Content-Length: \(sdp.utf8.count)\r\n\r\n") + Array(sdp.utf8)
        case "SETUP":
            let url = request.head.split(separator: " ")[1]
            // Some cameras refuse what is not in RFC 2326, and know only media that is played.
            guard !request.head.contains(";mode=") else { return request.answer(status: "461 No") }
            if otherTracks.contains(where: url.hasSuffix) { return text(setUp.replacing("0-1", with: "8-9")) }
            return url.hasSuffix(track) ? text(setUp) : request.answer(status: "404 No Such Track")
        case "PLAY":
            // Parrot's drones require the field.
            guard request.head.contains("\r\nRange: npt=0.000-\r\n") else { return request.answer(status: "457 No") }
            return before + text(play) + after
        case "TEARDOWN": return text(tearDown)
        default: return request.answer()
        }
    }
}

extension ScriptedServer.Request {
    /// Whether there are credentials that begin with `start`. TP-Link's cameras refuse an algorithm that they have not named.
    fileprivate func hasCredentials(_ start: String, for challenges: [String]) -> Bool {
        let name = "Authorization: "
        guard let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix(name) }) else { return false }
        let isNamed = challenges.contains { $0.contains("algorithm=") }
        return line.dropFirst(name.count).hasPrefix(start) && line.contains("algorithm=") == isNamed
    }

    /// The value of `CSeq`.
    fileprivate var number: String {
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("CSeq: ") }
        return line.map { String($0.dropFirst(6)) } ?? "0"
    }
}
