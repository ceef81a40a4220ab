import Reactor

/// The sockets of one loop, bound to one port: UDP, and TCP for clients whose network blocks UDP (RFC 6544). The loop takes them once.
final class LoopPort: Sendable {
    let number: UInt16
    // One loop takes it, before any loop runs.
    private nonisolated(unsafe) var pair: RTPSocketPair?
    let listener: Listener

    /// Binds both sockets. With port 0, a number is chosen that is free for both.
    static func bind(_ port: UInt16, _ options: ServerOptions) throws(PortFailure) -> LoopPort {
        // The kernel chooses a number that is free for UDP, but TCP may use it.
        var attemptsLeft = port == 0 ? 16 : 1
        while true {
            attemptsLeft -= 1
            do throws(PortFailure) {
                return try LoopPort(port, options)
            } catch {
                guard attemptsLeft > 0, error.isTCP, error.error.isAddressInUse else { throw error }
            }
        }
    }

    private init(_ port: UInt16, _ options: ServerOptions) throws(PortFailure) {
        var isTCP = false
        do throws(SystemError) {
            // The configuration permits numeric addresses only.
            let address = options.address.flatMap { SocketAddress($0, port: port) }
            let pair = try RTPSocketPair.multiplexed(port: port, at: address)
            if let codePoint = options.codePoint { try pair.rtp.setDifferentiatedServices(codePoint: codePoint) }
            let bound = pair.port
            isTCP = true
            listener =
                if let address {
                    try Listener(at: address.with(port: bound))
                } else {
                    try Listener.onAllAddresses(port: bound)
                }
            number = bound
            self.pair = consume pair
        } catch {
            throw PortFailure(port: port, isTCP: isTCP, error: error)
        }
    }

    /// The UDP socket, which the caller owns from now on.
    func takePair() -> RTPSocketPair {
        guard let taken = pair.take() else { preconditionFailure("one loop takes the sockets, once") }
        return taken
    }
}
