import CLinux
import Media
import Reactor

/// One pair of sockets, RTP and RTCP, and the sockets that separate clients behind slow devices from the others.
///
/// A loop has one pair for all its viewers; each multicast group has one of its own. Confined to its loop.
///
/// The kernel charges each datagram to its socket until a device has transmitted it. If a slow device holds the whole buffer of the
/// shared RTP socket, nothing can be sent to any client. The socket is then *stuck*, and each client host that is to be sent
/// something gets a socket of its own: `separate`. Which host the device delays need not be known. Sockets that are not stuck are
/// given up after some seconds, and the host shares the RTP socket again.
public final class UDPPorts {
    public let pair: RTPSocketPair
    /// Whether the kernel cuts trains here, as probed at start.
    let usesGSO: Bool
    /// What all clients leave by that have no separate socket.
    private(set) lazy var shared = UDPSender(sharedBy: self)
    /// Separate sockets, by the address of their host with port 0.
    private var separate: [SocketAddress: UDPSender] = [:]
    private let maximumSeparateCount: Int
    /// Before then, no separate socket is made because the last could not be.
    private var nextAttempt = MonotonicTime(nanoseconds: .min / 2)
    /// When sockets are to be looked at that no event tells about.
    private var nextLook = MonotonicTime.distantFuture

    /// When to try again where no event tells, in nanoseconds: that empties a good part of a queue.
    public static let retryInterval: Int64 = 2_000_000
    /// The same for a separate socket that has been full for longer.
    private static let stuckRetryInterval: Int64 = 10_000_000
    /// Between two looks at separate sockets that are not blocked.
    private static let calmInterval: Int64 = 1_000_000_000

    /// - Parameter maximumSeparateCount: hosts that may have a separate socket at the same time.
    public init(pair: consuming RTPSocketPair, usesGSO: Bool, maximumSeparateCount: Int = 0) {
        self.pair = pair
        self.usesGSO = usesGSO
        self.maximumSeparateCount = maximumSeparateCount
    }

    /// How addresses are written for these sockets.
    var family: AddressFamily { pair.rtp.family }

    /// Whether nothing is sent by the shared socket for now.
    public var isBlocked: Bool { shared.isBlocked }

    /// Whether it is blocked until the RTP socket is writable; else it is worth another try after `retryInterval`.
    public var isWaitingForRoom: Bool { shared.isWaitingForRoom }

    /// The RTP socket can take more, or it is worth another try.
    public func becameWritable() { shared.becameWritable() }

    /// Hosts that have a separate socket.
    var separateCount: Int { separate.count }

    /// Sends one RTCP compound packet. One that is lost is no harm: the next follows.
    func sendReport(_ bytes: [UInt8], over route: UDPRoute) {
        _ = bytes.withUnsafeBytes {
            pair.rtcp.send($0, to: route.reportDestination, segmentByteCount: nil, source: route.source)
        }
    }
}

// MARK: - Turns

extension UDPPorts {
    /// A turn of the loop begins: tries blocked sockets again that no event tells about, and gives up calm ones.
    public func turn(at now: MonotonicTime) {
        guard now >= nextLook else { return }
        nextLook = .distantFuture
        if isBlocked, !isWaitingForRoom { becameWritable() }
        // A shared socket that is stuck wakes the loop once: from then on, routes leave it.
        if let stuckAt = shared.stuckAt, stuckAt > now { look(at: stuckAt) }
        for (host, sender) in separate {
            if now >= sender.nextLook { lookAt(sender, of: host, at: now) }
            look(at: sender.nextLook)
        }
    }

    /// Each separate socket is looked at in its own interval: one that is full costs the others nothing.
    private func lookAt(_ sender: UDPSender, of host: SocketAddress, at now: MonotonicTime) {
        sender.tryAgain(at: now)
        if !sender.hasRoutes || !shared.isBlocked && sender.isCalm(at: now) { return giveUp(sender, of: host) }
        let retry = sender.isStuck(at: now) ? Self.stuckRetryInterval : Self.retryInterval
        sender.nextLook = now + (sender.isBlocked ? retry : Self.calmInterval)
    }

    /// When the loop is to turn at the latest.
    public var deadline: MonotonicTime { nextLook }

    /// Has `turn` look at the sockets at `instant` at the latest.
    func look(at instant: MonotonicTime) { nextLook = min(nextLook, instant) }
}

// MARK: - Separate sockets

extension UDPPorts {
    /// Gives `route` the socket of its host instead of the shared one, which is stuck.
    ///
    /// The route keeps its socket if the limit is reached or no socket can be made.
    func separate(_ route: UDPRoute, at now: MonotonicTime) {
        let host = route.destination.with(port: 0)
        guard let sender = separate[host] ?? makeSender(at: now) else { return }
        guard route.leave(by: sender) else {
            nextAttempt = now + Self.calmInterval
            return
        }
        separate[host] = sender
        look(at: sender.nextLook)
    }

    private func makeSender(at now: MonotonicTime) -> UDPSender? {
        guard separate.count < maximumSeparateCount, now >= nextAttempt else { return nil }
        do {
            let socket = try UDPSocket(
                sendingFromPortOf: pair.rtp, bufferByteCount: UDPSender.bufferByteCount)
            return UDPSender(socket, of: self, at: now, nextLook: now + Self.calmInterval)
        } catch {
            // No descriptor is left, or the host has no loopback network: trying for each packet would only cost time.
            nextAttempt = now + Self.calmInterval
            return nil
        }
    }

    private func giveUp(_ sender: UDPSender, of host: SocketAddress) {
        for case let route? in sender.routes.map(\.route) { _ = route.leave(by: shared) }
        sender.nextLook = .distantFuture
        separate[host] = nil
    }
}
