import TestSupport

/// A client that publishes one video track, written by hand.
final class Publisher {
    let socket: RTSPSocket
    let url: String
    /// The header `Session`, from the first SETUP on.
    private(set) var session: [String: String] = [:]
    private var number: UInt16 = 0
    private var timestamp: UInt32 = 0

    /// Logs in, and announces nothing yet.
    init(of path: String, on target: Target, as account: Account = .reporter) throws {
        socket = try target.logIn(as: account)
        url = target.url(path)
    }

    static let description = description(media: video)
    static let video = """
        m=video 0 RTP/AVP 96\r
        a=rtpmap:96 H264/90000\r
        a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0LAHtkDxWhAAAADAEAAAAwDxYuS,aMuMsg==\r
        a=control:streamid=0\r

        """

    static func description(title: String = "x", media: String) -> String {
        "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=\(title)\r\nt=0 0\r\n\(media)"
    }

    // MARK: Requests

    func announce(_ description: String = Publisher.description) throws -> RTSPSocket.Response {
        try socket.request("ANNOUNCE", url, ["Content-Type": "application/sdp"], body: description)
    }

    func setUp(_ transport: String = Target.interleaved(0)) throws -> RTSPSocket.Response {
        let headers = session.merging(["Transport": "\(transport);mode=record"]) { $1 }
        let answer = try socket.request("SETUP", "\(url)/streamid=0", headers)
        if let id = answer.header("Session")?.split(separator: ";").first { session = ["Session": String(id)] }
        return answer
    }

    func record() throws -> RTSPSocket.Response { try socket.request("RECORD", url, session) }

    /// Publishes over TCP.
    func begin(_ description: String = Publisher.description) throws {
        try announce(description).expect(200)
        try setUp().expect(200)
        try record().expect(200)
    }

    // MARK: Media

    /// The next RTP packet, in a frame of its own if it is marked.
    func packet(_ payload: [UInt8], isMarked: Bool = true, after ticks: Int32 = 3_600) -> [UInt8] {
        number &+= 1
        timestamp = timestamp &+ UInt32(bitPattern: ticks)
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: timestamp >> $0) }
        return [0x80, (isMarked ? 0x80 : 0) | 96, UInt8(number >> 8), UInt8(number & 0xFF)] + bytes
            + [0, 0, 0xBE, 0xEF] + payload
    }

    /// A keyframe of one packet.
    func keyframe(fill: UInt8 = 9, byteCount: Int = 500, after ticks: Int32 = 3_600) -> [UInt8] {
        packet([0x65] + [UInt8](repeating: fill, count: byteCount), after: ticks)
    }

    /// Sends a packet inside the connection.
    func send(_ packet: [UInt8]) { socket.send(Attack.interleaved(0, packet)) }
}

/// A viewer of a published stream, over TCP.
struct PublicationViewer {
    private let socket: RTSPSocket

    /// Plays the stream, of which at least one keyframe has been sent.
    init(of path: String, on target: Target) throws {
        socket = try target.logIn()
        try socket.play(target.url(path), tracks: 1).answer.expect(200)
    }

    /// The last packet of the next frame.
    func frame() throws -> RTSPSocket.Frame {
        while let frame = socket.frame(within: 5) {
            if frame.channel == 0, frame.bytes[1] & 0x80 != 0 { return frame }
        }
        throw Breach(description: socket.isClosed ? "the viewer was disconnected" : "the viewer receives nothing")
    }

    /// Waits for a frame that is filled with this byte.
    ///
    /// - Throws: `Breach` if it does not come, or if one with the byte `not` comes before it.
    func expectFrame(filledWith fill: UInt8, not wrong: UInt8? = nil) throws {
        while true {
            let last = try frame().bytes.last
            try verify(wrong == nil || last != wrong, "the viewer has received the attacker's media")
            if last == fill { return }
        }
    }
}
