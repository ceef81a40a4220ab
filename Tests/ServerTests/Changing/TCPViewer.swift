import Media
import TestSupport
import Testing

@testable import Server

/// A viewer of the video of a path over TCP.
final class TCPViewer {
    /// A video's width and height.
    struct Size: Hashable {
        let width: Int
        let height: Int

        init(_ width: Int, _ height: Int) {
            (self.width, self.height) = (width, height)
        }
    }

    /// What was received in one call of `watch`.
    struct Seen {
        /// Frames, counted by their RTP markers.
        var frames = 0
        var byteCount = 0
        /// Missing sequence numbers.
        var missing = 0
        /// The widths in the received parameter sets, in order.
        var sizes: [Size] = []
        var goodbyes = 0
        var lastTimestamp: UInt32?
    }

    let socket: RTSPSocket
    private var next: UInt16?

    init(of path: String, _ assembly: Assembly) throws {
        socket = try RTSPSocket(port: Int(assembly.server.port))
        let answer = try socket.play("rtsp://127.0.0.1/\(path)", tracks: 1).answer
        try #require(answer.status == 200)
    }

    /// Receives until this many complete frames have arrived, or no packet arrives, or for half a minute, because reports arrive even
    /// without frames.
    ///
    /// - Parameter waitsForSize: whether to receive on until a size has come: on a busy machine, a new encoder takes longer than a second.
    func watch(frames: Int, untilSize waitsForSize: Bool = false) -> Seen {
        var seen = Seen()
        let deadline = ContinuousClock.now + .seconds(30)
        while seen.frames < frames || waitsForSize && seen.sizes.isEmpty, ContinuousClock.now < deadline,
            let frame = socket.frame(within: 5)
        {
            if frame.channel == 1, frame.controlTypes.contains(203) { seen.goodbyes += 1 }
            guard frame.channel == 0 else { continue }
            seen.missing += next.map { Int(frame.sequenceNumber &- $0) } ?? 0
            next = frame.sequenceNumber &+ 1
            seen.byteCount += frame.bytes.count
            seen.lastTimestamp = frame.timestamp
            if frame.bytes[1] & 0x80 != 0 { seen.frames += 1 }
            let size = Self.size(in: Array(frame.bytes.dropFirst(12)))
            if let size, seen.sizes.last != size { seen.sizes.append(size) }
        }
        return seen
    }

    /// The width in the sequence parameter set of a packet: single, or in an aggregate (RFC 6184, sections 5.6 and 5.7.1).
    private static func size(in payload: [UInt8]) -> Size? {
        var units = [payload]
        if payload.first.map({ $0 & 0x1F }) == 24 {
            units = []
            var rest = payload.dropFirst()
            while rest.count > 2 {
                let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
                units.append(Array(rest.dropFirst(2).prefix(count)))
                rest = rest.dropFirst(2 + count)
            }
        }
        let set = units.first { $0.first.map { $0 & 0x1F } == 7 }.flatMap { H264.SequenceParameterSet(parsing: $0) }
        return set.map { Size($0.width, $0.height) }
    }
}
