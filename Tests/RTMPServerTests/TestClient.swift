import Media
import TestSupport

@testable import RTMP

/// A client of RTMP on a blocking socket.
final class TestClient {
    let socket: LoopbackSocket
    private var session: RTMPClientSession
    private var packager = FLVPackager(tracks: [.video, .audio], options: [])
    private var timeline = PlayerTimeline()
    private(set) var hasStarted = false
    private(set) var media: [Message] = []
    /// Why the session has ended.
    private(set) var end: ClientOrder.CloseReason?
    /// How to connect again.
    private(set) var nextLogin: RTMP.ClientLogin?
    private(set) var isClosed = false

    init(
        _ action: ClientTarget.Action, _ path: String, query: String = "", login: RTMP.ClientLogin? = nil, port: Int,
        from source: String? = nil, bufferByteCount: Int32? = nil
    ) throws {
        socket = try LoopbackSocket(port: port, from: source, bufferByteCount: bufferByteCount)
        let target = ClientTarget(action, server: "rtmp://127.0.0.1:\(port)", path: path, query: query)
        session = RTMPClientSession(target, login: login, random: [UInt8](repeating: 7, count: 1536))
        perform()
    }

    /// Reads until a condition holds; false if it does not within the time.
    @discardableResult
    func read(within seconds: Double = 20, until condition: () -> Bool) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds * Sanitizer.patience)
        while !condition(), !isClosed, ContinuousClock.now < end {
            guard let bytes = socket.receive(within: 0.05) else { continue }
            if bytes.isEmpty { isClosed = true }
            session.received(bytes.rawSpan)
            perform()
        }
        return condition()
    }

    /// Waits until the server accepts it.
    func start(within seconds: Double = 20) -> Bool { read(within: seconds) { hasStarted || isOver } && hasStarted }

    /// The status with which the server refuses or ends it.
    func refusal(within seconds: Double = 20) -> Status? {
        read(within: seconds) { isOver }
        switch end {
        case .refused(let status), .ended(let status): return status
        default: return nil
        }
    }

    var isOver: Bool { end != nil || nextLogin != nil || isClosed }

    /// The payloads of the frames of video, without decoder configurations.
    var frames: [[UInt8]] {
        media.filter { $0.type == .video && $0.payload.count > 5 && $0.payload[1] == 1 }.map(\.payload)
    }

    /// Whether a frame's payload is that of a keyframe.
    static func isKeyframe(_ payload: [UInt8]) -> Bool { payload[0] == 0x17 }

    /// Sends the messages before the first frame.
    func sendHead() {
        guard let framing = session.framing, let head = packager.head else { return }
        socket.send(framing.bytes(of: head, at: timeline.last))
    }

    func send(_ unit: AccessUnit) {
        guard let framing = session.framing, let frame = packager.package(unit) else { return }
        for message in frame.messages {
            let (head, payload) = framing.bytes(of: message, at: timeline.timestamp(of: message))
            socket.send(head + payload)
        }
    }

    /// Sends a message as it is.
    func send(_ message: Message) {
        guard let framing = session.framing else { return }
        let media = FLVMessage(message.type, milliseconds: 0, payload: message.payload)
        let (head, payload) = framing.bytes(of: media, at: message.timestamp)
        socket.send(head + payload)
    }

    func send(_ bytes: [UInt8]) { socket.send(bytes) }

    func stop() {
        session.stop()
        perform()
    }

    private func perform() {
        while let order = session.next() {
            switch order {
            case .send(let bytes): socket.send(bytes)
            case .started: hasStarted = true
            case .media(let message): media.append(message)
            case .reconnect(let login): nextLogin = login
            case .close(let reason): end = reason
            }
        }
    }
}
