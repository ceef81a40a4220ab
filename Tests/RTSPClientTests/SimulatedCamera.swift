import RTSP
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
    /// What the URL of SETUP must end with.
    var track = "/track1"

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
        [0x24, channel, 0, UInt8(12 + payload.count), 0x80, type, 0, number, 0, 0, 0, 1, 0, 0, 0, source] + payload
    }

    /// - Parameter note: is called with the method of each request.
    func serve(_ note: @escaping @Sendable (String) -> Void = { _ in }) throws -> ScriptedServer {
        try ScriptedServer { request, peer in
            note(request.method)
            // Some answer nothing without a User-Agent, or if this field has another spelling.
            guard request.head.contains("\r\nUser-Agent: "), request.head.contains("\r\nCSeq: ") else { return false }
            return peer.send(answer(request))
        }
    }

    private func answer(_ request: ScriptedServer.Request) -> [UInt8] {
        func text(_ text: String) -> [UInt8] { Array(text.replacing("#", with: request.number).utf8) }
        switch request.method {
        case "OPTIONS": return text(options)
        case "DESCRIBE": return text(describeHead + "Content-Length: \(sdp.utf8.count)\r\n\r\n") + Array(sdp.utf8)
        case "SETUP":
            let url = request.head.split(separator: " ")[1]
            return url.hasSuffix(track) ? text(setUp) : request.answer(status: "404 No Such Track")
        case "PLAY": return before + text(play) + after
        default: return request.answer()
        }
    }
}

extension ScriptedServer.Request {
    /// The value of `CSeq`.
    fileprivate var number: String {
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("CSeq: ") }
        return line.map { String($0.dropFirst(6)) } ?? "0"
    }
}
