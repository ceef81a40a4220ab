import CLinux
import Media
import Reactor

/// A pair of sockets, RTP and RTCP, and the sockets that separate clients behind slow devices from the others.
///
/// A loop has one pair for all its viewers, and each multicast group has a pair of its own. Confined to its loop.
///
/// The kernel charges each datagram to its socket until a device has transmitted it. If a slow device holds the whole buffer of
/// the shared RTP socket, nothing can be sent to any client. The socket is then *stuck*, and each client host that is to be sent
/// something gets a socket of its own: `separate`. It need not be known which host the device delays. A separate socket that is
/// not stuck is closed after some seconds, and its host shares the RTP socket again.
public final class UDPPorts {
    public let pair: RTPSocketPair
    /// Whether the kernel supports GSO, as probed at start.
    public let usesGSO: Bool
    /// The sender for all clients without a separate socket.
    private(set) lazy var shared = UDPSender(sharedBy: self)
    /// Separate sockets, by the address of their host with port 0.
    private var separate: [SocketAddress: UDPSender] = [:]
    private let maximumSeparateCount: Int
    /// Until when no separate socket is made, because the last attempt failed.
    private var nextAttempt = MonotonicTime(nanoseconds: .min / 2)
    /// When to check sockets for which epoll reports no event.
    private var nextCheck = MonotonicTime.distantFuture

    /// The retry interval for sockets without events, in nanoseconds: enough to empty a good part of a queue.
    public static let retryInterval: Int64 = 2_000_000
    /// The retry interval for a separate socket that has been full for longer.
    private static let stuckRetryInterval: Int64 = 10_000_000
    /// The time between two checks of separate sockets that are not blocked.
    private static let calmInterval: Int64 = 1_000_000_000

    /// - Parameter maximumSeparateCount: hosts that may have a separate socket at the same time.
    public init(pair: consuming RTPSocketPair, usesGSO: Bool, maximumSeparateCount: Int = 0) {
        self.pair = pair
        self.usesGSO = usesGSO
        self.maximumSeparateCount = maximumSeparateCount
    }

    /// The address family of the sockets.
    var family: AddressFamily { pair.rtp.family }

    /// Whether the shared socket sends nothing for now.
    public var isBlocked: Bool { shared.isBlocked }

    /// Whether it is blocked until the RTP socket is writable; otherwise it should be retried after `retryInterval`.
    public var isWaitingForRoom: Bool { shared.isWaitingForRoom }

    /// The RTP socket can take more, or should be retried.
    public func becameWritable() { shared.becameWritable() }

    /// Hosts that have a separate socket.
    var separateCount: Int { separate.count }

    /// Sends one RTCP compound packet. A lost one does no harm, because the next follows.
    public func sendReport(_ bytes: [UInt8], over route: UDPRoute) {
        _ = bytes.withUnsafeBytes {
            pair.rtcp.send($0, to: route.reportDestination, segmentByteCount: nil, source: route.source)
        }
    }
}

// MARK: - Turns

extension UDPPorts {
    /// Begins a turn of the loop: retries blocked sockets that have no events, and removes separate ones that are not needed.
    public func turn(at now: MonotonicTime) {
        guard now >= nextCheck else { return }
        nextCheck = .distantFuture
        if isBlocked, !isWaitingForRoom { becameWritable() }
        // A shared socket that is stuck wakes the loop once, so that routes leave it.
        if let stuckAt = shared.stuckAt, stuckAt > now { scheduleCheck(at: stuckAt) }
        for (host, sender) in separate {
            if now >= sender.nextCheck { check(sender, of: host, at: now) }
            scheduleCheck(at: sender.nextCheck)
        }
    }

    /// Checks a separate socket. Each has its own interval, so a full one costs the others nothing.
    private func check(_ sender: UDPSender, of host: SocketAddress, at now: MonotonicTime) {
        sender.retry(at: now)
        if !sender.hasRoutes || !shared.isBlocked && sender.canRejoinShared(at: now) {
            return removeSeparate(sender, of: host)
        }
        let retry = sender.isStuck(at: now) ? Self.stuckRetryInterval : Self.retryInterval
        sender.nextCheck = now + (sender.isBlocked ? retry : Self.calmInterval)
    }

    /// The latest time for the loop's next turn.
    public var deadline: MonotonicTime { nextCheck }

    /// Makes `turn` check the sockets at `instant` at the latest.
    func scheduleCheck(at instant: MonotonicTime) { nextCheck = min(nextCheck, instant) }
}

// MARK: - Separate sockets

extension UDPPorts {
    /// Moves `route` from the shared socket, which is stuck, to the separate socket of its host.
    ///
    /// The route keeps the shared socket if there are `maximumSeparateCount` separate ones already, or none can be made now.
    func separate(_ route: UDPRoute, at now: MonotonicTime) {
        let host = route.destination.with(port: 0)
        guard let sender = separate[host] ?? makeSender(at: now) else { return }
        guard route.changeSender(to: sender) else {
            nextAttempt = now + Self.calmInterval
            return
        }
        separate[host] = sender
        scheduleCheck(at: sender.nextCheck)
    }

    private func makeSender(at now: MonotonicTime) -> UDPSender? {
        guard separate.count < maximumSeparateCount, now >= nextAttempt else { return nil }
        do {
            let socket = try UDPSocket(
                sendingFromPortOf: pair.rtp, bufferByteCount: UDPSender.bufferByteCount)
            return UDPSender(socket, of: self, at: now, nextCheck: now + Self.calmInterval)
        } catch {
            // No descriptor is left, or the host has no loopback network. An attempt for each packet would only cost time.
            nextAttempt = now + Self.calmInterval
            return nil
        }
    }

    private func removeSeparate(_ sender: UDPSender, of host: SocketAddress) {
        for case let route? in sender.routes.map(\.route) { _ = route.changeSender(to: shared) }
        sender.nextCheck = .distantFuture
        separate[host] = nil
    }
}
