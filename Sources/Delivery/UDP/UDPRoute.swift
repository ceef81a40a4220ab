import CLinux
import Media
import Reactor

/// Where one track's datagrams go, in the kernel's format. It is made once, and every message points at it.
public final class UDPRoute {
    /// Where RTP goes.
    public private(set) var destination: SocketAddress
    /// Where RTCP goes.
    public private(set) var reportDestination: SocketAddress
    /// The local address that the datagrams leave from; `nil` if the kernel chooses it (multicast groups).
    public private(set) var source: SocketAddress?
    /// The sockets that the datagrams leave from.
    public let ports: UDPPorts
    /// The socket that RTP leaves from.
    private(set) var sender: UDPSender

    /// Whether the kernel accepts GSO batches on this route. It refuses them, for example, if the path MTU is smaller than their
    /// packets.
    private var acceptsGSO = true

    let address: UnsafeMutablePointer<sockaddr_storage>
    private(set) var addressLength: socklen_t
    /// `source` as the owner chose it.
    private var chosenSource: SocketAddress?

    /// IPv6 destinations need IPv6 sockets.
    public init(
        destination: SocketAddress, reportDestination: SocketAddress, source: SocketAddress?, ports: UDPPorts
    ) {
        self.destination = destination
        self.reportDestination = reportDestination
        self.source = source
        chosenSource = source
        self.ports = ports
        sender = ports.shared
        address = .allocate(capacity: 1)
        address.initialize(to: sockaddr_storage())
        addressLength = destination.write(to: address, for: ports.family)
    }

    deinit {
        address.deallocate()
    }

    /// Whether the kernel splits GSO batches on this route. Otherwise each packet is a message of its own.
    var usesGSO: Bool { ports.usesGSO && acceptsGSO }

    /// Stops GSO on this route, because the kernel refused a batch. Other routes are not affected.
    func refusedGSO() {
        acceptsGSO = false
    }

    /// Whether a message may be sent now. If its shared socket is stuck, the route gets a separate one first.
    @inline(__always)
    func isReady(at now: MonotonicTime) -> Bool { !sender.isBlocked || leavesStuckSender(at: now) }

    private func leavesStuckSender(at now: MonotonicTime) -> Bool {
        if sender.isShared, sender.isStuck(at: now) { ports.separate(self, at: now) }
        return !sender.isBlocked
    }

    /// Sends RTP through `sender` from now on. No batch may contain a message of this route.
    ///
    /// - Returns: false if that is impossible: a separate socket needs the local address.
    func changeSender(to sender: UDPSender) -> Bool {
        let source = chosenSource ?? (sender.isShared ? nil : UDPSocket.sourceAddress(towards: destination))
        guard sender.isShared || source != nil else { return false }
        self.sender.remove(self)
        if !sender.isShared { sender.add(self) }
        (self.sender, self.source) = (sender, source)
        return true
    }

    /// Sends to another address of the client from now on, by this local address. RTP and RTCP have one address (RFC 5761).
    public func move(to destination: SocketAddress, from source: SocketAddress?) {
        // A separate socket is that of the former host.
        if !sender.isShared { _ = changeSender(to: ports.shared) }
        (self.destination, reportDestination) = (destination, destination)
        (self.source, chosenSource) = (source, source)
        addressLength = destination.write(to: address, for: ports.family)
    }

    /// Sets the client's ports to those that its datagrams came from, because it is behind a NAT.
    public func move(toPort port: UInt16, reportPort: UInt16) {
        destination.port = port
        reportDestination.port = reportPort
        addressLength = destination.write(to: address, for: ports.family)
    }
}
