import Media
import Reactor
import Streams

/// What a service uses of its loop: sockets to watch, deadlines, viewers, the UDP ports. Confined to the loop.
public struct LoopPlace: SocketWatcher {
    let state: LoopState
    /// The number of the service in its loop, from 1. The loop itself is 0.
    let number: UInt8

    /// Sends to the viewers of the loop.
    public var delivery: DeliveryLoop { state.delivery }
    /// Wakes the loop when a feed has something new, for a service with followers of its own.
    public var waker: any Waker { state.delivery.waker }
    /// The UDP ports of the loop, which all its services share.
    public var ports: UDPPorts { state.ports }
    /// The beginning of the current turn.
    public var now: MonotonicTime { state.loop.now }

    /// Messages of other threads for the service, each of which causes a turn.
    public func makeMailbox<Message>() -> Mailbox<Message> { Mailbox(waking: state.loop) }

    /// A token that no other socket of the loop has, or had.
    public func nextToken() -> Token { state.nextToken(of: number) }

    /// Watches a socket. The service is called when it is ready, and must call ``unwatch(_:)`` before it closes the socket.
    public func watch(_ fd: Int32, _ interest: Interest, as token: Token) throws(SystemError) {
        try state.loop.add(fd, interest, token: token)
    }

    /// Changes the events that a watched socket is watched for.
    public func change(_ fd: Int32, _ interest: Interest, of token: Token) {
        // The socket is open and watched: this cannot fail.
        try? state.loop.change(fd, interest, token: token)
    }

    /// Stops watching a socket, if it is watched.
    public func unwatch(_ fd: Int32) { state.loop.remove(fd) }

    /// Sets or replaces the deadline of `token`; `nil` removes it.
    public func setDeadline(of token: Token, to deadline: MonotonicTime?) {
        if let deadline {
            state.deadlines.set(token, deadline)
        } else {
            state.deadlines.remove(token)
        }
    }
}

/// The state of a loop that its services share. Confined to the loop.
final class LoopState {
    let loop: EventLoop
    let delivery: DeliveryLoop
    let ports: UDPPorts
    var deadlines = DeadlineQueue<Token>()
    private var lastToken: UInt64 = 0

    init(loop: EventLoop, delivery: DeliveryLoop, ports: UDPPorts) {
        self.loop = loop
        self.delivery = delivery
        self.ports = ports
    }

    /// The next token of a service. Its highest byte tells the service, and no token is used twice.
    func nextToken(of service: UInt8) -> Token {
        lastToken += 1
        return Token(rawValue: UInt64(service) << 56 | lastToken)
    }
}

extension Token {
    /// The number of the service that watches the socket.
    var service: Int { Int(rawValue >> 56) }
}
