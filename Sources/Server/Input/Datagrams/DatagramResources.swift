import Logging
import Media
import Muxing
import Reactor

/// Receives a transport stream in datagrams. The stream comes from one sender, because the packets of two would be mixed. Confined to
/// one thread.
final class DatagramResources: ResourceOpener {
    private let url: DatagramURL
    private let reception: DatagramReception
    private let interruption: Interruption
    private let silence: Silence
    private let log: Logger

    /// How long the sender may be silent.
    struct Silence {
        /// Until another sender may take over: longer than encoders pause between datagrams.
        var takeoverMilliseconds: Int64 = 1_000
        /// Until the stream counts as away, as with RTSP.
        var endMilliseconds: Int64 = 10_000
    }

    init(
        _ url: DatagramURL, noting reception: DatagramReception, silence: Silence = Silence(),
        interruption: Interruption, log: Logger
    ) {
        (self.url, self.reception, self.silence) = (url, reception, silence)
        (self.interruption, self.log) = (interruption, log)
    }

    func open(
        _ url: String, _ range: ResourceRange, from origin: ResourceOrigin
    ) throws(ResourceFailure) -> any Resource {
        // Every host can send datagrams, so no URL in them is opened.
        guard case .input = origin else { throw ResourceFailure("a transport stream names no other resources") }
        do throws(SystemError) {
            let socket = try self.url.socket()
            try socket.enableArrivalTimes()
            reception.begin()
            return DatagramResource(
                at: url, from: socket, noting: reception, silence: silence, interruption: interruption, log: log)
        } catch {
            throw ResourceFailure(
                "\(error)",
                remedy: "check that the port is free, and that the URL names a group or an address of this host")
        }
    }
}

/// The bytes of the datagrams from one sender, in the order in which they come.
private final class DatagramResource: Resource {
    let location: String
    let mediaType = ""
    let byteCount: Int64? = nil
    private let socket: UDPSocket
    private let reception: DatagramReception
    private let silence: DatagramResources.Silence
    private let interruption: Interruption
    private let log: Logger
    private var datagrams = ReceivedDatagrams(capacity: 16, datagramByteCount: 65_536)
    private var nextIndex = 0
    /// What is left of the last datagram, in `datagrams`.
    private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    private var sender: SocketAddress?
    /// When the last datagram of the sender came, in nanoseconds since 1970. The kernel reports it, because this thread may be late.
    private var lastArrival: Int64 = 0
    private var lastRead = MonotonicTime.now()

    /// An interruption does not end a wait, so each wait is short.
    private static let longestWaitMilliseconds: Int32 = 50

    init(
        at location: String, from socket: consuming UDPSocket, noting reception: DatagramReception,
        silence: DatagramResources.Silence, interruption: Interruption, log: Logger
    ) {
        self.socket = socket
        (self.location, self.reception) = (location, reception)
        (self.silence, self.interruption, self.log) = (silence, interruption, log)
    }

    func seek(to position: Int64) {}

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ResourceFailure) -> Int {
        while rest.isEmpty {
            guard nextIndex < datagrams.count else {
                try receive()
                continue
            }
            // A datagram that is longer than any network carries is left out.
            if let datagram = datagrams[nextIndex] { rest = try accepted(datagram) }
            nextIndex += 1
        }
        let count = min(buffer.count, rest.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        return count
    }

    /// Waits for datagrams.
    private func receive() throws(ResourceFailure) {
        while true {
            if interruption.isInterrupted { throw ResourceFailure("interrupted", isInterruption: true) }
            nextIndex = 0
            switch datagrams.receive(from: socket) {
            case .bytes: return
            case .failed(let error): throw ResourceFailure("\(error)")
            case .wouldBlock, .end: break
            }
            guard MonotonicTime.now() - lastRead < silence.endMilliseconds * 1_000_000 else {
                throw ResourceFailure(
                    "no datagram has come for \(silence.endMilliseconds / 1_000) s",
                    remedy: "check the address and the port at the sender, and the firewalls on the way")
            }
            _ = socket.waitToReceive(milliseconds: Self.longestWaitMilliseconds)
        }
    }

    /// The bytes of a datagram; none if another sender sends the stream.
    private func accepted(_ datagram: Datagram) throws(ResourceFailure) -> UnsafeRawBufferPointer {
        let arrival = datagram.arrivalUnixNanoseconds ?? WallClock.unixNanoseconds()
        if let sender, sender != datagram.source {
            guard arrival - lastArrival < silence.takeoverMilliseconds * 1_000_000 else {
                throw ResourceFailure("\(datagram.source) sends now, and no longer \(sender)")
            }
            if reception.leftOut(from: datagram.source) {
                log.warning(
                    "datagrams from \(datagram.source) are left out: \(sender) sends the stream; give one of them another port"
                )
            }
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        (sender, lastArrival, lastRead) = (datagram.source, arrival, .now())
        reception.received(datagram.bytes.bytes, from: datagram.source)
        return datagram.bytes
    }
}
