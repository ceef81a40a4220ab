import CLinux
import Reactor

/// Where one track's datagrams go, in the form that the kernel takes: made once, pointed at by every message.
public final class UDPRoute {
    /// Where RTP goes.
    public private(set) var destination: SocketAddress
    /// Where RTCP goes.
    public private(set) var reportDestination: SocketAddress
    /// Our address, from which the datagrams leave; `nil` where the kernel's choice is right (groups).
    public let source: SocketAddress?
    /// The sockets they leave from.
    public let ports: UDPPorts

    /// Whether trains get through: not where the path's MTU is smaller than its packets, or our address has gone.
    private var takesTrains = true

    let address: UnsafeMutablePointer<sockaddr_storage>
    private(set) var addressLength: socklen_t

    /// IPv6 destinations need IPv6 sockets.
    public init(
        destination: SocketAddress, reportDestination: SocketAddress, source: SocketAddress?, ports: UDPPorts
    ) {
        self.destination = destination
        self.reportDestination = reportDestination
        self.source = source
        self.ports = ports
        address = .allocate(capacity: 1)
        address.initialize(to: sockaddr_storage())
        addressLength = destination.write(to: address, for: ports.family)
    }

    deinit {
        address.deallocate()
    }

    /// Whether the kernel cuts trains on the way there; else each packet is a message of its own.
    var isSegmenting: Bool { ports.isSegmenting && takesTrains }

    /// The kernel refused a train on this route: it gets single datagrams from now on, and others what they got.
    func refusedTrain() {
        takesTrains = false
    }

    /// The client was heard from other ports than it named (it sits behind a translator): those are the right ones.
    public func move(toPort port: UInt16, reportPort: UInt16) {
        destination.port = port
        reportDestination.port = reportPort
        addressLength = destination.write(to: address, for: ports.family)
    }
}
