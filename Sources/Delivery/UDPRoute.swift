import CLinux
import Media
import Reactor

/// Where one track's datagrams go, in the form that the kernel takes: made once, pointed at by every message.
public final class UDPRoute {
    /// Where RTP goes.
    public private(set) var destination: SocketAddress
    /// Where RTCP goes.
    public private(set) var reportDestination: SocketAddress
    /// Our address, from which the datagrams leave; `nil` where the kernel's choice is right (groups).
    public private(set) var source: SocketAddress?
    /// The sockets they leave from.
    public let ports: UDPPorts
    /// Of these, the one that RTP leaves by.
    private(set) var sender: UDPSender

    /// Whether trains get through: not where the path's MTU is smaller than its packets, or our address has gone.
    private var acceptsGSO = true

    let address: UnsafeMutablePointer<sockaddr_storage>
    private(set) var addressLength: socklen_t
    /// `source` as the owner chose it.
    private let chosenSource: SocketAddress?

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

    /// Whether the kernel cuts trains on the way there; else each packet is a message of its own.
    var usesGSO: Bool { ports.usesGSO && acceptsGSO }

    /// The kernel refused a train on this route: it gets single datagrams from now on, and others what they got.
    func refusedGSO() {
        acceptsGSO = false
    }

    /// Whether a message may be sent now. A route whose shared socket is stuck gets another one first.
    @inline(__always)
    func isReady(at now: MonotonicTime) -> Bool { !sender.isBlocked || leavesStuckSender(at: now) }

    private func leavesStuckSender(at now: MonotonicTime) -> Bool {
        if sender.isShared, sender.isStuck(at: now) { ports.separate(self, at: now) }
        return !sender.isBlocked
    }

    /// RTP leaves by `sender` from now on, of which no batch has a message of this route.
    ///
    /// - Returns: false if that is not possible: a separate socket needs to know our address.
    func leave(by sender: UDPSender) -> Bool {
        let source = chosenSource ?? (sender.isShared ? nil : UDPSocket.sourceAddress(towards: destination))
        guard sender.isShared || source != nil else { return false }
        self.sender.remove(self)
        if !sender.isShared { sender.add(self) }
        (self.sender, self.source) = (sender, source)
        return true
    }

    /// The client was heard from other ports than it named (it sits behind a translator): those are the right ones.
    public func move(toPort port: UInt16, reportPort: UInt16) {
        destination.port = port
        reportDestination.port = reportPort
        addressLength = destination.write(to: address, for: ports.family)
    }
}
