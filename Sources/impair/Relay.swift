import Impairment
import Media
import Reactor

/// Moves packets between two TUN devices through two links, on the thread of one event loop.
///
/// Virtual time begins with the first packet in either direction that counts.
/// The conformance is unchecked because all state belongs to the loop's thread, and to the creator before and after it runs.
final class Relay: EventLoopHandler, @unchecked Sendable {
    private let server: TUNDevice
    private let client: TUNDevice
    private var up: RelayDirection
    private var down: RelayDirection
    private var start: ClockReading?

    init(server: consuming TUNDevice, client: consuming TUNDevice, up: Link<[UInt8]>, down: Link<[UInt8]>) {
        (self.up, self.down) = (RelayDirection(up), RelayDirection(down))
        self.server = server
        self.client = client
    }

    func register(on loop: EventLoop) throws(SystemError) {
        try loop.add(server.fd, .read, token: Token(rawValue: 0))
        try loop.add(client.fd, .read, token: Token(rawValue: 1))
    }

    /// What both directions have done. To be read after the loop has ended.
    var report: RelayReport {
        RelayReport(began: start.map { Double($0.unixNanoseconds) / 1e9 }, up: up.report, down: down.report)
    }

    func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        guard !events.isEmpty || start != nil else { return .distantFuture }
        let clocks = self.start ?? .now()
        let start = clocks.monotonic
        up.receive(from: client, since: start)
        down.receive(from: server, since: start)
        if self.start == nil {
            guard up.isUsed || down.isUsed else { return .distantFuture }
            self.start = clocks
        }
        up.deliver(to: server, since: start)
        down.deliver(to: client, since: start)
        guard let next = [up.nextDue, down.nextDue].compactMap(\.self).min() else { return .distantFuture }
        return start + next
    }
}
