import Fuzzing
import Media
import RTSP
import SDP
import Wire

/// The state machine of a client that publishes, with an arbitrary server: its steps are in order, its messages are well-formed,
/// nothing follows the close, and it gives up a silent server.
@Sendable func fuzzRTSPPublishing(_ input: [UInt8]) {
    guard var run = PublishingRun() else { return require(false, "the URL and the description are valid") }
    var script = Script(input)
    while !script.isAtEnd, run.steps < 2_000 { run.step(&script) }
    run.end()
}

private struct PublishingRun {
    var steps = 0
    private var client: PublishingConnection
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var transcript = ClientTranscript()
    private var setUpCount = 0
    private var isRecording = false
    private var sawClose = false

    private static let description =
        "v=0\r\ns=-\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=control:track1\r\nm=audio 0 RTP/AVP 97\r\n"

    init?() {
        guard let url = RequestURL("rtsp://ann:sesame@h/cam"), let information = url.userInformation,
            let description = try? SessionDescription(parsing: Array(Self.description.utf8))
        else { return nil }
        let login = ClientLogin(information, hashes: .folding) { 4 }
        client = PublishingConnection(url: url, login: login)
        var transport = Transport(.tcp, .unicast)
        transport.interleaved = ChannelPair(number: 0)
        client.connected(announcing: description, over: [transport, transport], at: now)
        drain()
    }

    mutating func step(_ script: inout Script) {
        steps += 1
        let operation = script.byte()
        switch operation {
        case 0x20...0xFF: receive([operation] + script.line())
        case 0: receive(script.chunk())
        case 1: now = now.advanced(byMilliseconds: Int64(script.uint16()))
        // The status line of a response to the last request; the following lines of the script are its headers.
        case 2: receive(Array("RTSP/1.0 200 OK\r\nCSeq: \(transcript.requestCount)\r\n".utf8))
        case 3: answer(.ok)
        case 4: client.deadlinePassed(at: now)
        case 5: passDeadline()
        case 6: client.receivedEnd(at: now)
        case 7: client.tearDown(at: now)
        case 8: answer(StatusCode(200 + Int(script.byte()) * 2) ?? .badRequest)
        default: receive([operation])
        }
        drain()
    }

    /// If the caller does what the machine requests, a silent server cannot block it.
    mutating func end() {
        for _ in 0..<4 { passDeadline() }
        require(sawClose, "a silent server is given up")
        transcript.check()
    }

    private mutating func receive(_ bytes: [UInt8]) {
        client.received(bytes.rawSpan, at: now)
    }

    /// Sends a response with the headers for any step.
    private mutating func answer(_ status: StatusCode) {
        let headers: Headers = [
            .cSeq: String(transcript.requestCount), .session: "12345678;timeout=10",
            .transport: "RTP/AVP/TCP;interleaved=0-1",
            .public: "GET_PARAMETER", .location: "rtsp://other/cam", .retryAfter: "3",
            .wwwAuthenticate: "Digest realm=\"a\", nonce=\"\(transcript.requestCount / 4)\"",
        ]
        receive(Writer.bytes(of: Response(status, headers: headers)))
    }

    private mutating func passDeadline() {
        let deadline = client.nextDeadline
        guard deadline < .distantFuture else { return }
        now = max(now, deadline)
        client.deadlinePassed(at: now)
        drain()
        require(client.nextDeadline > now, "a passed deadline is not due again")
    }

    private mutating func drain() {
        while let action = client.nextAction() {
            require(!sawClose, "nothing follows the close")
            switch action {
            case .send(let bytes): transcript.take(bytes)
            case .setUp(let index, _):
                require(index == setUpCount && index < 2, "tracks are set up in their order")
                setUpCount += 1
            case .recording:
                require(!isRecording && setUpCount == 2, "RECORD follows the SETUP of all tracks")
                isRecording = true
            case .receivedInterleaved: break
            case .close: sawClose = true
            }
        }
        if sawClose { require(client.nextDeadline == .distantFuture, "a closed connection has no deadline") }
    }
}
