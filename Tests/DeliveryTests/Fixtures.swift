import CLinux
import Glibc
import Media
import RTP
import Reactor
import SRTP
import Streams
import Synchronization
import TLS
import Testing
import Wire

@testable import Delivery

/// A stream of one video track at 25 frames/s, and optionally audio, delivered by one loop that the test turns by hand.
final class Broadcast {
    let stream: Stream
    let delivery: DeliveryLoop
    private(set) var now: MonotonicTime
    /// The number of the next frame.
    private(set) var frameCount: Int64 = 0

    init(
        options: DeliveryLoop.Options = .init(), fastStartBudget: MemoryBudget = MemoryBudget(),
        clock: StreamClock = StreamClock(ClockReading.now), hasAudio: Bool = false
    ) {
        stream = Stream(path: "/cam", clock: clock)
        now = clock.epoch
        delivery = DeliveryLoop(options: options, waker: SilentWaker(), fastStartBudget: fastStartBudget, at: now)
        // Only the types of the parameter sets matter.
        let sets = H264.ParameterSets(sequence: [Self.sps], picture: [Self.pps])!
        let video = Track(id: TrackID(0), clockRate: .video, format: .h264(sets))
        stream.announce(hasAudio ? [video, Self.audio] : [video])
    }

    private static let audio = Track(
        id: TrackID(1), clockRate: .audio48k,
        format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)))

    static let sps: [UInt8] = [0x67, 0x42, 0xC0, 0x1F]
    static let pps: [UInt8] = [0x68, 0xCE, 0x3C, 0x80]

    /// Publishes the next frame, with one slice of `byteCount` bytes, and with encode timing if `isEncodedHere`.
    ///
    /// - Parameter isDisposable: whether no other frame refers to it.
    func publish(idr: Bool = false, byteCount: Int, isEncodedHere: Bool = false, isDisposable: Bool = false) {
        var unit = Self.frame(frameCount, idr: idr, byteCount: byteCount, isDisposable: isDisposable)
        frameCount += 1
        if isEncodedHere {
            unit.encodeTiming = AccessUnit.EncodeTiming(frameNumber: UInt32(frameCount - 1), begin: now, end: now)
        }
        stream.publish(unit)
    }

    /// A frame with one slice of `byteCount` bytes.
    static func frame(_ number: Int64, idr: Bool, byteCount: Int, isDisposable: Bool = false) -> AccessUnit {
        let time = MediaTime(ticks: number * 3_600, rate: .video)
        let slice =
            [idr ? 0x65 : isDisposable ? 0x01 : 0x41] + (1..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let parts = idr ? [sps, pps, slice] : [slice]
        var units: [Range<Int>] = []
        for part in parts { units.append((units.last?.upperBound ?? 0)..<((units.last?.upperBound ?? 0) + part.count)) }
        return AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: idr,
            bytes: parts.flatMap(\.self), units: units)
    }

    /// Publishes a unit of audio at the time of the next frame.
    func publishAudio(byteCount: Int) {
        let time = MediaTime(ticks: frameCount * 1_920, rate: .audio48k)
        stream.publish(
            AccessUnit(
                track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true,
                bytes: [UInt8](repeating: 0x21, count: byteCount), units: [0..<byteCount]))
    }

    /// Delays the next frame by so many frame intervals.
    func skip(frames count: Int64) { frameCount += count }

    /// Turns the loop `milliseconds` after the last turn.
    ///
    /// - Returns: the latest time for the next turn.
    @discardableResult
    func turn(after milliseconds: Int64 = 0) -> MonotonicTime {
        now = now.advanced(byMilliseconds: milliseconds)
        return delivery.turn(at: now)
    }

    /// Lets a viewer join and start.
    func start(_ viewer: Viewer, mode: JoinMode = .auto, moves: Bool = false) -> Bool {
        let options = JoinOptions(mode: mode)
        guard delivery.join(viewer, stream: stream, options: options, moves: moves, at: now) else { return false }
        delivery.start(viewer, at: now)
        return true
    }
}

/// A source that counts requests for keyframes.
final class CountingSource: Streams.Source {
    private let requests = Atomic(0)
    /// `nil` if it encodes nothing itself.
    let status: SourceStatus?

    init(status: SourceStatus? = nil) { self.status = status }

    func requestKeyframe() { requests.add(1, ordering: .relaxed) }

    var requestCount: Int { requests.load(ordering: .relaxed) }
}

extension Broadcast {
    /// Handles a request of a client for packets of its first track: 1 is the newest.
    func receivedRequest(forLast numbers: some Sequence<Int>, of viewer: Viewer) throws {
        let track = try #require(viewer.tracks[0])
        let lost = numbers.map { Feedback.LostPackets(first: track.rewriter.nextSequenceNumber.advanced(by: -$0)) }
        delivery.receivedRequest(for: lost, of: track.rewriter.ssrc, by: viewer, at: now)
    }
}

private final class SilentWaker: Waker {
    func wake() {}
}

extension HeaderRewriter {
    static let fixture = HeaderRewriter(
        payloadType: PayloadType(lowBitsOf: 96), ssrc: SSRC(0xA5A5), firstSequenceNumber: SequenceNumber(65_530),
        timestampOffset: 77
    )
    /// The same for packets that carry their capture time.
    static let sendingCaptureTime = HeaderRewriter(
        payloadType: PayloadType(lowBitsOf: 96), ssrc: SSRC(0xA5A5), firstSequenceNumber: SequenceNumber(65_530),
        timestampOffset: 77, extensions: HeaderExtensionLayout([.absoluteCaptureTime]))
}

/// A UDP client with its own pair of ports, and the viewer that sends to them.
struct UDPClient: ~Copyable {
    let pair: Reactor.RTPSocketPair
    let ports: UDPPorts
    let viewer: Viewer
    private var received = ReceivedDatagrams(capacity: 64)

    /// - Parameter shared: the sockets that the viewer is sent from, if other viewers use them too.
    init(
        usesGSO: Bool, encapsulation: RTPEncapsulation = .tracks, trackCount: Int = 1, needsOpus: Bool = false,
        family: AddressFamily = .ipv4,
        by shared: UDPPorts? = nil, rewriter: HeaderRewriter = .fixture, protection: TrackProtection? = nil,
        repair: TrackRepair? = nil
    ) throws {
        let pair = try Reactor.RTPSocketPair.bind(evenIn: 40_000...44_000)
        let ports =
            try shared
            ?? UDPPorts(pair: try Reactor.RTPSocketPair.bind(evenIn: 44_002...48_000), usesGSO: usesGSO)
        let address = SocketAddress.loopback(family, port: pair.port)
        let route = UDPRoute(
            destination: address, reportDestination: address.with(port: pair.port + 1), source: nil, ports: ports)
        viewer = Viewer(
            canonicalName: "test", trackCount: trackCount, encapsulation: encapsulation, needsOpus: needsOpus,
            output: nil, at: .now())
        let track = ViewerTrack(
            rewriter: rewriter, transport: .udp(route), clockRate: .video, protection: protection, repair: repair)
        switch encapsulation {
        case .tracks: viewer.setUp(TrackID(0), as: track)
        case .transportStream: viewer.setUpAll(as: track)
        }
        self.pair = pair
        self.ports = ports
    }

    var route: UDPRoute? {
        if case .udp(let route) = viewer.tracks[0]?.transport { route } else { nil }
    }

    /// All datagrams that wait at the RTP port, each with its source.
    mutating func datagrams() -> [(bytes: [UInt8], source: SocketAddress)] {
        var all: [(bytes: [UInt8], source: SocketAddress)] = []
        while case .bytes = received.receive(from: pair.rtp) {
            received.forEachDatagram { all.append(([UInt8]($0.bytes), $0.source)) }
        }
        return all
    }

    /// All packets that wait, in order of arrival.
    mutating func packets() -> [Packet] { packetBytes().compactMap(Packet.init) }

    /// The bytes of all packets that wait.
    mutating func packetBytes() -> [[UInt8]] { datagrams().map(\.bytes) }

    mutating func reports() -> [Compound] { reportBytes().compactMap { try? Compound(parsing: $0.rawSpan) } }

    mutating func reportBytes() -> [[UInt8]] {
        var reports: [[UInt8]] = []
        while case .bytes = received.receive(from: pair.rtcp) {
            received.forEachDatagram { reports.append([UInt8]($0.bytes)) }
        }
        return reports
    }
}

/// A received RTP packet.
struct Packet {
    let header: Header
    let payload: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard let (header, payload) = Header.parse(bytes.rawSpan) else { return nil }
        self.header = header
        self.payload = [UInt8](bytes[payload])
    }
}

/// A TCP connection over loopback: our end is a viewer's output, and the test reads the other end.
struct TCPClient: ~Copyable {
    let output: TCPOutput
    let viewer: Viewer
    let socket: TCPSocket

    /// - Parameter tls: the TLS connection of our end, if any.
    init(
        sendBufferByteCount: Int32 = 32_768, rewriter: HeaderRewriter = .fixture, tls: TLSConnection? = nil,
        protection: TrackProtection? = nil
    ) throws {
        let listener = try Listener(at: .loopback(.ipv4, port: 0))
        // The listener is bound: it has an address.
        let socket = try TCPSocket(connectingTo: listener.localAddress!)
        let server = try listener.accept()!.takeSocket()
        try server.setSendBuffer(bytes: sendBufferByteCount)
        try server.limitUnsent(toBytes: 16_384)
        output = TCPOutput(socket: server, tls: tls, at: .now())
        viewer = Viewer(canonicalName: "test", trackCount: 1, output: output, at: .now())
        viewer.setUp(
            TrackID(0),
            as: ViewerTrack(
                rewriter: rewriter, transport: .interleaved(channel: 0, reportChannel: 1), clockRate: .video,
                protection: protection))
        self.socket = socket
    }

    /// All bytes that come until none has come for half a second, because the kernel may wait for a window probe.
    func readAll() -> [UInt8] {
        var bytes = read()
        var descriptor = pollfd(fd: socket.fd, events: Int16(POLLIN), revents: 0)
        while poll(&descriptor, 1, 500) == 1 { bytes += read() }
        return bytes
    }

    /// All bytes that wait.
    func read() -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let outcome = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
                let outcome = socket.read(into: buffer)
                if case .bytes(let count) = outcome { bytes += buffer[..<count] }
                return outcome
            }
            guard case .bytes = outcome else { return bytes }
        }
    }

    /// Waiting bytes, at most as many as the budget, which they reduce.
    func read(upTo budget: inout Int) -> [UInt8] {
        guard budget > 0 else { return [] }
        let count = min(budget, 65_536)
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
            guard case .bytes(let count) = socket.read(into: buffer) else { return [] }
            budget -= count
            return [UInt8](buffer[..<count])
        }
    }

    /// Reads everything that waits, then twenty more frames as they come; the tenth is an IDR frame.
    func catchUp(with broadcast: Broadcast) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<100 { bytes += readAvailable(with: broadcast) }
        for index in 1...20 {
            broadcast.publish(idr: index == 10, byteCount: 2_000)
            broadcast.turn(after: 40)
            bytes += readAvailable(with: broadcast)
        }
        return bytes + readAll()
    }

    /// Reads the available bytes, so that the server's end can continue writing.
    private func readAvailable(with broadcast: Broadcast) -> [UInt8] {
        let bytes = read()
        output.flush(at: broadcast.now)
        broadcast.delivery.outputBecameWritable(of: viewer, at: broadcast.now)
        return bytes
    }
}
