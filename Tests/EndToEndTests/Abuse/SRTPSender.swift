import RTP
import SRTP
import TestSupport

/// A publisher of WebRTC that sends one H.264 track, and keeps its packets.
final class SRTPSender {
    let ssrc = SSRC(77)
    /// All protected packets that were sent.
    private(set) var packets: [[UInt8]] = []
    private let peer: WebRTCPeer
    private let protection: OutgoingProtection
    /// The number of the next packet.
    private var index: UInt64 = 100
    private let start = ContinuousClock.now
    /// The time of the present frame in milliseconds. It keeps up with the clock, as that of a live source does.
    private var time: Int64 = 0

    /// - Parameter peer: has the payload type 96, and is established.
    init(_ peer: WebRTCPeer) throws {
        guard let key = peer.own else { throw Breach(description: "no keys") }
        self.peer = peer
        protection = try OutgoingProtection(key, ssrc: ssrc.rawValue)
    }

    /// The sequence number of the last packet.
    var newest: UInt32 { UInt32(truncatingIfNeeded: index - 1) }

    func sendKeyframe(filledWith fill: UInt8) {
        beginFrame()
        send(Self.parameterSets, isLast: false)
        send([0x65] + [UInt8](repeating: fill, count: 60), isLast: true)
    }

    func sendFrame(filledWith fill: UInt8) {
        beginFrame()
        send([0x41] + [UInt8](repeating: fill, count: 60), isLast: true)
    }

    private func beginFrame() { time = max(time + 1, Int64((ContinuousClock.now - start) / .milliseconds(1))) }

    /// A STAP-A with the parameter sets of x264 for 640×360.
    private static let parameterSets: [UInt8] = {
        let sequence: [UInt8] = [
            0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
            0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
        ]
        let picture: [UInt8] = [0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]
        return [0x78, 0, UInt8(sequence.count)] + sequence + [0, UInt8(picture.count)] + picture
    }()

    private func send(_ payload: [UInt8], isLast: Bool) {
        let number = [8, 0].map { UInt8(truncatingIfNeeded: index >> $0) }
        let words = [UInt32(truncatingIfNeeded: time * 90), ssrc.rawValue].flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        let header = [0x80, isLast ? 0xE0 : 0x60] + number + words
        let packet = protection.sealed(payload, header: header, index: index)
        index += 1
        packets.append(packet)
        peer.send(packet)
    }
}
