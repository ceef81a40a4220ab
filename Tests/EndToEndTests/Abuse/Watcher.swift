import Foundation
import RTP
import Reactor
import Synchronization
import TestSupport

/// A viewer of `cam` on its own thread, which records all irregularities.
final class Watcher: Sendable {
    enum Transport: String {
        case udp, tcp
    }

    /// The observations so far.
    struct Record: Sendable {
        var packetCount = 0
        /// The number of keyframes, which are preceded by their parameter sets.
        var keyframeCount = 0
        var problems: [String] = []
        /// The SSRC of the first track.
        var ssrc: SSRC?
        /// The RTP ports of the server and the viewer, with UDP only.
        var serverPort: UInt16?
        var ownPort: UInt16?
        fileprivate var tracks: [Int: TrackRecord] = [:]
        fileprivate var lastArrival: ContinuousClock.Instant?
    }

    let transport: Transport
    private let record = Mutex(Record())
    private let isStopped = Atomic(false)
    /// Longer than a busy test machine delays a thread.
    private static let maximumSilence = Duration.seconds(4)

    /// The same duration in ticks of the video and the audio clock, because the test card skips frames for which it is too late.
    private static let maximumSteps = [4 * 90_000, 4 * 48_000]

    /// Starts to play.
    init(over transport: Transport, of target: Target) {
        self.transport = transport
        Thread.detachNewThread { [self] in
            do {
                try transport == .tcp ? watchConnection(of: target) : watchDatagrams(of: target)
            } catch {
                report("cannot play: \(error)")
            }
        }
    }

    var seen: Record { record.withLock { $0 } }

    func takeProblems() -> [String] {
        record.withLock { record in
            defer { record.problems = [] }
            return record.problems
        }
    }

    func stop() { isStopped.store(true, ordering: .releasing) }

    private var isRunning: Bool { !isStopped.load(ordering: .acquiring) }

    private func report(_ problem: String) {
        record.withLock { $0.problems.append("\(transport.rawValue): \(problem)") }
    }

    private func watchConnection(of target: Target) throws {
        let socket = try target.logIn(as: .watcher)
        try socket.play(target.url("cam")).answer.expect(200)
        while isRunning, !socket.isClosed {
            guard let frame = socket.frame(within: 0.1) else { continue }
            if frame.channel % 2 == 0 { take(frame.bytes.rawSpan, of: frame.channel / 2) }
        }
        if isRunning { report("the connection was closed") }
    }

    /// Without TLS in all settings, because plain UDP requires that.
    private func watchDatagrams(of target: Target) throws {
        let socket = try target.logInInTheClear(as: .watcher)
        let ports = try RTPSocketPair.bind(evenIn: 51_000...58_000)
        let setup = try socket.setUp(target.clearURL("cam"), tracks: 1) { _ in
            "RTP/AVP;unicast;client_port=\(ports.port)-\(ports.port + 1)"
        }
        let server = setup.answers.first?.serverPort ?? 0
        record.withLock { ($0.serverPort, $0.ownPort) = (server, ports.port) }
        // Like a player, sends a datagram first, by which the server latches the address.
        _ = [0x80, 0, 0, 0].withUnsafeBytes { ports.rtp.send($0, to: .loopback(.ipv4, port: server)) }
        try socket.request("PLAY", setup.base, setup.session).expect(200)
        var datagrams = ReceivedDatagrams()
        var poll = pollfd(fd: ports.rtp.fd, events: Int16(POLLIN), revents: 0)
        var lastReport = ContinuousClock.now - .seconds(1)
        while isRunning {
            if ContinuousClock.now - lastReport > .seconds(1) {
                _ = ControlBytes.receiverReport.withUnsafeBytes {
                    ports.rtcp.send($0, to: .loopback(.ipv4, port: server + 1))
                }
                lastReport = .now
            }
            guard Foundation.poll(&poll, 1, 100) > 0, case .bytes = datagrams.receive(from: ports.rtp) else { continue }
            datagrams.forEachDatagram { datagram in
                // Datagrams to the same port of another local address are for attackers.
                guard datagram.destination == .loopback(.ipv4, port: 0) else { return }
                take(RawSpan(_unsafeBytes: datagram.bytes), of: 0)
            }
        }
        withExtendedLifetime(socket) {}
    }

    private func take(_ packet: RawSpan, of track: Int) {
        guard let (header, payload) = Header.parse(packet) else { return report("an invalid packet") }
        let isKeyframe =
            track == 0 && payload.count > 0
            && packet.unsafeLoad(fromByteOffset: payload.lowerBound, as: UInt8.self) & 0x1F == 24
        record.withLock { record in
            record.packetCount += 1
            if isKeyframe { record.keyframeCount += 1 }
            if track == 0 { record.ssrc = header.ssrc }
            let now = ContinuousClock.now
            if let last = record.lastArrival, now - last > Self.maximumSilence {
                record.problems.append("\(transport.rawValue): nothing for \(now - last)")
            }
            record.lastArrival = now
            let gap = record.tracks[track, default: TrackRecord()].gap(before: header, Self.maximumSteps[track])
            if let gap { record.problems.append("\(transport.rawValue), track \(track): \(gap)") }
        }
    }
}

/// The position in a track.
private struct TrackRecord: Sendable {
    private var last: (number: SequenceNumber, timestamp: UInt32, ssrc: SSRC)?

    /// Describes the irregularity between the last packet and this one; `nil` if there is none.
    mutating func gap(before header: Header, _ maximumStep: Int) -> String? {
        defer { last = (header.sequenceNumber, header.timestamp, header.ssrc) }
        guard let last else { return nil }
        guard last.ssrc == header.ssrc else { return "another SSRC" }
        guard last.number.advanced(by: 1) == header.sequenceNumber else {
            return "\(header.sequenceNumber.rawValue) after \(last.number.rawValue)"
        }
        let step = Int(Int32(bitPattern: header.timestamp &- last.timestamp))
        return (0...maximumStep).contains(step) ? nil : "a step in time of \(step)"
    }
}

extension RTSPSocket.Response {
    /// The server's RTP port.
    var serverPort: UInt16? { transport("server_port") }

    /// Returns the first number of a parameter of `Transport`.
    func transport(_ name: String) -> UInt16? {
        let parts = (header("Transport") ?? "").split(separator: ";")
        return parts.first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1).split(separator: "-").first
            .flatMap { UInt16($0) }
    }
}

/// RTCP packets (RFC 3550, section 6; RFC 4585, section 6.3.1).
enum ControlBytes {
    /// From a viewer with nothing to report.
    static let receiverReport: [UInt8] = [0x80, 201, 0, 1, 1, 2, 3, 4]

    static func pictureLoss(of ssrc: SSRC?) -> [UInt8] {
        [0x81, 206, 0, 2, 1, 2, 3, 4] + bytes(of: ssrc)
    }

    static func goodbye(of ssrc: SSRC?) -> [UInt8] { [0x81, 203, 0, 1] + bytes(of: ssrc) }

    private static func bytes(of ssrc: SSRC?) -> [UInt8] {
        let number = ssrc?.rawValue ?? 0
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
