import Delivery
import Media
import RTSP
import Reactor

/// Accepts connections on the first loop, and hands each to the loop that has the fewest. Confined to its loop.
final class PortWatch {
    /// Connections accepted from a port in one turn, which take less than a millisecond; the port stays readable for the others.
    private static let connectionsPerTurn = 32
    /// The pause after running out of descriptors, in nanoseconds.
    private static let pause: Int64 = 100_000_000

    private let place: LoopPlace
    private let context: ServerContext
    private var ports: [Token: PortListener] = [:]

    init(_ ports: [PortListener], _ place: LoopPlace, _ context: ServerContext) throws(SystemError) {
        (self.place, self.context) = (place, context)
        for port in ports {
            let token = place.nextToken()
            try place.watch(port.listener.fd, .read, as: token)
            self.ports[token] = port
        }
    }

    /// A socket is ready; false if it is none of the ports.
    func socketIsReady(_ token: Token, at now: MonotonicTime) -> Bool {
        guard let port = ports[token] else { return false }
        do throws(SystemError) {
            for _ in 0..<Self.connectionsPerTurn {
                guard let accepted = try port.listener.accept() else { return true }
                handOver(accepted, port.security, at: now)
            }
        } catch {
            // Without free descriptors the port would be ready in every turn.
            place.unwatch(port.listener.fd)
            place.setDeadline(of: token, to: now + Self.pause)
            context.log.log(
                .refusedConnection, .error, "cannot accept connections for now",
                peer: SocketAddress.any(.ipv4, port: port.port),
                reason: "\(error)", at: now)
        }
        return true
    }

    /// A deadline has passed; false if it is not that of a port.
    func deadlinePassed(of token: Token) -> Bool {
        guard let port = ports[token] else { return false }
        // The listener is open, and was watched before: this cannot fail.
        try? place.watch(port.listener.fd, .read, as: token)
        return true
    }

    private func handOver(
        _ accepted: consuming AcceptedConnection, _ security: ConnectionSecurity, at now: MonotonicTime
    ) {
        let peer = accepted.peer
        if let refusal = context.services.admit(peer, security) {
            return context.log.log(
                .refusedConnection, .warning, "connection refused", peer: peer, reason: refusal, at: now)
        }
        guard let inbox = context.leastLoaded else { return }
        let fd = accepted.takeSocket().takeDescriptor().release()
        inbox.put(LoopInbox.Accepted(fd: fd, peer: peer, security: security))
    }

    /// Accepts no more.
    func stop() {
        for (token, port) in ports {
            place.unwatch(port.listener.fd)
            place.setDeadline(of: token, to: nil)
        }
        ports = [:]
    }
}
