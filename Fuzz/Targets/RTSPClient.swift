import Fuzzing
import Media
import RTSP
import SDP
import Wire

/// The client's state machine with an arbitrary server: its steps are in order, its messages are well-formed, nothing follows the
/// close, and it gives up a silent server after a few deadlines.
@Sendable func fuzzRTSPClient(_ input: [UInt8]) {
    guard var run = ClientRun() else { return require(false, "the URL is valid") }
    var script = Script(input)
    while !script.isAtEnd, run.steps < 2_000 { run.step(&script) }
    run.end()
}

private struct ClientRun {
    var steps = 0
    private var client: ClientConnection
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var transcript = ClientTranscript()
    private var mediaCount = 0
    private var trackCount = 0
    private var setUpCount = 0
    private var isPlaying = false
    private var sawClose = false

    init?() {
        guard let url = RequestURL("rtsp://h/cam") else { return nil }
        client = ClientConnection(url: url)
        client.connected(at: now)
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
        case 3: answer(script.chunk())
        case 4: client.deadlinePassed(at: now)
        case 5: passDeadline()
        case 6: client.receivedEnd(at: now)
        case 7: client.tearDown(at: now)
        case 8: answer(Array("v=0\r\ns=-\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\nm=audio 0 RTP/AVP 97\r\n".utf8))
        case 9: client.connected(at: now)
        case 11, 12: choose(script.byte())
        default: receive([operation])
        }
        drain()
    }

    /// If the caller does what the machine requests, a silent server cannot block it.
    mutating func end() {
        choose(1)
        drain()
        for _ in 0..<4 { passDeadline() }
        if !sawClose {
            // The machine waits for the caller, which has no tracks to choose from.
            client.tearDown(at: now)
            drain()
            passDeadline()
        }
        require(sawClose, "a silent server is given up")
        transcript.check()
    }

    private mutating func receive(_ bytes: [UInt8]) {
        client.received(bytes.rawSpan, at: now)
    }

    /// Sends a response with the headers for any step.
    private mutating func answer(_ body: [UInt8]) {
        let headers: Headers = [
            .cSeq: String(transcript.requestCount), .session: "12345678;timeout=10",
            .transport: "RTP/AVP/TCP;interleaved=0-1",
            .public: "GET_PARAMETER", .rtpInfo: "url=a;seq=1,url=b;seq=2",
        ]
        receive(Writer.bytes(of: Response(.ok, headers: headers, body: body)))
    }

    private mutating func choose(_ count: UInt8) {
        let tracks = (0..<Int(count % 4)).map { index in
            TrackSetUp(mediaIndex: index, transport: Transport(.tcp, .unicast))
        }
        let waits = !sawClose && mediaCount > 0 && trackCount == 0
        client.setUp(tracks, at: now)
        if waits, !tracks.isEmpty, tracks.count <= mediaCount { trackCount = tracks.count }
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
            case .described(let description):
                require(transcript.requestCount == 2 && mediaCount == 0, "a stream is described once, after DESCRIBE")
                mediaCount = description.media.count
            case .setUp(let index, _):
                require(index == setUpCount && index < trackCount, "tracks are set up in their order")
                setUpCount += 1
            case .playing(let starts):
                require(
                    !isPlaying && setUpCount == trackCount && starts.count == trackCount,
                    "PLAY starts all tracks that were set up")
                isPlaying = true
            case .receivedInterleaved: break
            case .close: sawClose = true
            }
        }
        if sawClose { require(client.nextDeadline == .distantFuture, "a closed connection has no deadline") }
    }
}
